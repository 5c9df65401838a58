// The rules of Box World: one episode, as abstractor_lib.tasks.box_world.game plays it in Python.
// A puzzle: rows, columns, board (a letter a tile, "A" is blank), decoys (tiles), gem (its locks).
// Tiles have numbers, row by row.
const BLANK = 0,
  GEM = 1,
  FIRST_HUE = 4;
const MOVES = { l: [0, -1], u: [-1, 0], r: [0, 1], d: [1, 0] };

class Game {
  constructor(puzzle) {
    this.rows = puzzle.rows;
    this.columns = puzzle.columns;
    this.board = [...puzzle.board].map((letter) => letter.charCodeAt(0) - 65);
    this.decoys = puzzle.decoys;
    this.gem = puzzle.gem;
    this.inventory = [];
    this.player = 0;
    this.solved = this.ended = false;
    this.moves = "";
    this.total = 0;
  }

  // Try to move one tile; the board's edge is a wall. The reward.
  step(move) {
    if (this.ended) return 0;
    const reward = this.enter(this.beside(this.player, move));
    this.moves += move;
    this.total += reward;
    return reward;
  }

  // The tile that a move leads to; the same tile at the edge.
  beside(tile, move) {
    const [down, right] = MOVES[move];
    const row = Math.floor(tile / this.columns) + down;
    const column = (tile % this.columns) + right;
    const inside = row >= 0 && row < this.rows && column >= 0 && column < this.columns;
    return inside ? row * this.columns + column : tile;
  }

  // What lies beside an object; none lies in the first column, and no loose key in the last one.
  left(tile) {
    return this.board[tile - 1];
  }

  right(tile) {
    return this.board[tile + 1];
  }

  // Whether stepping on a tile takes a loose key, or opens a box or the Gem.
  canTake(tile) {
    const here = this.board[tile];
    if (here === BLANK) return false;
    if (this.left(tile) === BLANK) return this.right(tile) === BLANK;
    if (this.left(tile) !== GEM) return this.inventory.includes(here);
    return this.gem.every((lock) => this.inventory.includes(this.board[lock]));
  }

  enter(tile) {
    const here = this.board[tile];
    if (here !== BLANK && !this.canTake(tile)) return 0;
    this.player = tile;
    if (here === BLANK) return 0;
    const content = this.left(tile);
    if (content === BLANK) {
      this.board[tile] = BLANK;
      this.inventory.push(here);
      return 1;
    }
    for (const lock of content === GEM ? this.gem : [tile]) {
      this.inventory.splice(this.inventory.indexOf(this.board[lock]), 1);
      this.board[lock] = this.board[lock - 1] = BLANK;
    }
    this.inventory.push(content);
    this.solved = content === GEM;
    this.ended = this.solved || this.decoys.includes(tile);
    return this.solved ? 10 : this.ended ? -1 : 1;
  }

  // Moves of a shortest way to a tile over blank ones; null if there is none. Of several ways, the
  // one that goes left before up before right before down.
  walk(target) {
    const came = new Map([[this.player, ""]]);
    const queue = [this.player];
    while (queue.length > 0) {
      const tile = queue.shift();
      if (tile === target) return came.get(tile);
      for (const move of "lurd") {
        const next = this.beside(tile, move);
        if (came.has(next) || (next !== target && this.board[next] !== BLANK)) continue;
        came.set(next, came.get(tile) + move);
        queue.push(next);
      }
    }
    return null;
  }
}
