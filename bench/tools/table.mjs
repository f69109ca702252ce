import { goalOfRatio, goalOfRow } from './goals.mjs';
import { load, loadInTurn } from './load.mjs';

const columns = { 'req/s': 0, 'p50 ms': 1, 'p99 ms': 1, 'node µs': 0, 'PG µs': 0 };

/** The results of this run, by name: printed as they come, and once more as a whole. */
export class Table {
  rows = [];
  ratios = {};

  /**
   * Sends `requests` requests that `next(index)` makes, after a twentieth more that warm the code up and are not
   * counted. `check(text)` says whether an answer is the expected one.
   */
  async measure(name, { origin, pids }, next, { requests, concurrency, expected = 200, check = () => true }) {
    const warm = Math.ceil(requests / 20);
    const verify = (status, text) => {
      if (status !== expected || !check(text)) throw new Error(`${name}: answered ${status} ${text}`);
    };
    const late = (index) => next(requests + index) ?? next(index);
    await load({ origin, pids, count: warm, concurrency, next: late, check: verify });
    this.add(name, await load({ origin, pids, count: requests, concurrency, next, check: verify }));
  }

  /**
   * Sends the compared requests in turn, and to servers in the state that they have after days: with all of their code
   * compiled, which takes longer the more there is. So the warm-up has as many requests as the measurement;
   * `next(index)` makes twice `requests` of each; a request may
   * say which status is `expected` and whether a text `isExpected`.
   */
  async measureInTurn(rows, { requests }) {
    const all = rows.map(({ name, server: { origin, pids }, next, concurrency }) => {
      const check = (status, text, { expected = 200, isExpected = () => true }) => {
        if (status !== expected || !isExpected(text)) throw new Error(`${name}: answered ${status} ${text}`);
      };
      return { origin, pids, next, check, count: requests, concurrency };
    });
    await loadInTurn(all.map(({ next, ...rest }) => ({ ...rest, next: (index) => next(requests + index) })));
    for (const [index, measured] of (await loadInTurn(all)).entries()) this.add(rows[index].name, measured);
  }

  add(name, measured) {
    const { cpu = {} } = measured;
    this.rows.push({ name, ...measured });
    process.stdout.write(`${line(name, [measured.perSecond, measured.p50, measured.p99, cpu.node, cpu.postgres])}\n`);
  }

  /** The share of the throughput of `theirs` that `ours` has. */
  compare(name, ours, theirs) {
    const of = (wanted) => this.rows.find((row) => row.name === wanted).perSecond;
    this.ratio(name, of(ours) / of(theirs));
  }

  ratio(name, value) {
    this.ratios[name] = value;
  }

  print() {
    const head = Object.keys(columns).map((text) => text.padStart(9));
    process.stdout.write(`\n${''.padEnd(54)}${head.join('')}\n`);
    for (const row of this.rows) {
      const { name, perSecond, p50, p99, cpu = {} } = row;
      const figures = line(name, [perSecond, p50, p99, cpu.node, cpu.postgres]);
      process.stdout.write(`${figures}  ${goalOfRow(row, this.rows)?.text ?? ''}`.trimEnd().concat('\n'));
    }
    process.stdout.write('\n');
    for (const [name, value] of Object.entries(this.ratios)) {
      const goal = goalOfRatio(name, value);
      process.stdout.write(`${name}: ${value.toFixed(2)}${goal ? (goal.isMet ? ', met' : ', not met') : ''}\n`);
    }
  }

  /** The rows and ratios that have a goal, with their values. */
  goals() {
    const rows = this.rows.flatMap((row) => {
      const { perSecond, cpu = {} } = row;
      const goal = goalOfRow(row, this.rows);
      const used = (cpu.node ?? 0) + (cpu.postgres ?? 0);
      return goal ? [{ name: row.name, goal, value: `${perSecond.toFixed(0)}/s, ${used.toFixed(0)} µs` }] : [];
    });
    const ratios = Object.entries(this.ratios).flatMap(([name, value]) => {
      const goal = goalOfRatio(name, value);
      return goal ? [{ name, goal, value: value.toFixed(2) }] : [];
    });
    return [...rows, ...ratios];
  }
}

function line(name, values) {
  const digits = Object.values(columns);
  return name.padEnd(54) + values.map((value, index) => (value?.toFixed(digits[index]) ?? '').padStart(9)).join('');
}
