import process from 'node:process';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

/** The operator who has called the command. Questions and progress go to standard error, beside which the result can be redirected. */
export class Terminal {
  /** True if there is someone who can answer. */
  get isInteractive(): boolean {
    return process.stdin.isTTY === true && process.stderr.isTTY === true;
  }

  say(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Asks for a text that is not shown while it is typed. */
  async secret(question: string): Promise<string> {
    const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
    try {
      return await lineOf(question, hidden);
    } finally {
      process.stderr.write('\n');
    }
  }

  /** Asks until the answer is one of these. */
  async choice(question: string, answers: readonly string[]): Promise<string> {
    for (;;) {
      const answer = (await lineOf(`${question} (${answers.join('/')}) `, process.stderr)).trim().toLowerCase();
      if (answers.includes(answer)) return answer;
    }
  }
}

/** The next line that is typed. Ctrl-C and Ctrl-D end the process, as they would without a question. */
function lineOf(question: string, output: NodeJS.WritableStream): Promise<string> {
  const reader = createInterface({ input: process.stdin, output, terminal: true, historySize: 0 });
  // Not before the terminal has stopped to show what is typed: an answer can be pasted at once.
  process.stderr.write(question);
  return new Promise((resolve) => {
    let isAnswered = false;
    reader.once('line', (line) => {
      isAnswered = true;
      reader.close();
      resolve(line);
    });
    reader.once('SIGINT', () => reader.close());
    reader.once('close', () => {
      if (isAnswered) return;
      process.stderr.write('\n');
      process.exit(130);
    });
  });
}
