import { writeSync } from 'node:fs';
import { cpus } from 'node:os';
import type { FailoverLoad } from './failover-load.js';

interface Row {
  kind: string;
  from: string;
  to: string;
  /** Seconds until there was another primary. */
  promoted: number;
  outages: { at: string; seconds: number[] }[];
  answered: number;
  refused: number;
  refusals: string;
  lateWrites: number;
  /** The machine's load average. */
  load: number;
}

/** Prints the table of the failovers, one row as soon as it is known. */
export class Report {
  longestOutage = 0;
  lateWrites = 0;
  private readonly outages: number[] = [];

  add({ kind, from, to, promoted, outages, answered, refused, refusals, lateWrites, load }: Row): void {
    const longest = Math.max(0, ...outages.flatMap(({ seconds }) => seconds));
    if (this.outages.length === 0)
      print(
        `${cpus().length} cores of ${cpus()[0]?.model}\n` +
          '| # | Primary lost by | From, to | New primary after | Sign-ins work again after: load balancer, each node | ' +
          'Answered | Refused | Load of the machine |\n|---|---|---|---|---|---|---|---|\n',
      );
    this.outages.push(longest);
    this.longestOutage = Math.max(this.longestOutage, longest);
    this.lateWrites += lateWrites;
    const each = outages.map(({ seconds }) => seconds.map((one) => `${one.toFixed(1)} s`).join(' and ') || 'no outage');
    print(
      `| ${this.outages.length} | ${kind} | ${from} → ${to} | ${promoted.toFixed(1)} s | ${each.join(', ')} | ${answered} | ` +
        `${refusals || refused} | ${load.toFixed(1)} |\n`,
    );
  }

  end({ load, lost, kept }: { load: FailoverLoad; lost: string[]; kept: string[] }): void {
    const sorted = this.outages.toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    const done = Object.entries(load.done).map(([name, count]) => `${count} ${name}`);
    print(
      `\nLongest outage ${this.longestOutage.toFixed(1)} s, median ${median.toFixed(1)} s, of ${sorted.length} failovers\n` +
        `${done.join(', ')}; ${load.grants} grants held, ${load.codesLost} codes whose answer was lost\n` +
        `Lost at the end: ${lost.length}; spent twice: ${load.doubleSpends}; wrong answers: ${load.outcomes.wrong.length}; ` +
        `late writes answered with success: ${this.lateWrites}, kept: ${kept.length}\n${load.outcomes.wrong.slice(0, 30).join('\n')}\n${lost.join('\n')}\n`,
    );
  }

  note(title: string, text: string): void {
    if (process.env.GATEHOUSE_TEST_LOG) print(`${title}\n${text}\n`);
  }
}

/** At once: jest keeps what a test writes by itself until its end. */
function print(text: string): void {
  writeSync(2, text);
}
