import process from 'node:process';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';

interface Streams {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: NodeJS.WritableStream;
  stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

/**
 * The operator who has called the command. Questions and progress go to standard error, next to which the result can be
 * redirected.
 */
export class Terminal {
  constructor(private readonly streams: Streams) {}

  /** True if there is someone who can answer. */
  get isInteractive(): boolean {
    return this.streams.stdin.isTTY === true && this.streams.stderr.isTTY === true;
  }

  /** For the result of the command alone. */
  get result(): NodeJS.WritableStream {
    return this.streams.stdout;
  }

  say(text: string): void {
    this.streams.stderr.write(`${text}\n`);
  }

  /** Asks for a text that is not shown while it is typed. */
  async secret(question: string): Promise<string> {
    const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
    try {
      return await this.lineOf(question, hidden);
    } finally {
      this.streams.stderr.write('\n');
    }
  }

  /** Asks until the answer is one of these. */
  async choice(question: string, answers: readonly string[]): Promise<string> {
    for (;;) {
      const answer = (await this.lineOf(`${question} (${answers.join('/')}) `, this.streams.stderr))
        .trim()
        .toLowerCase();
      if (answers.includes(answer)) return answer;
    }
  }

  /** The next line that is typed. Ctrl-C and Ctrl-D end the process, as they would without a question. */
  private lineOf(question: string, output: NodeJS.WritableStream): Promise<string> {
    const { stdin, stderr } = this.streams;
    const reader = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
    // Not before the terminal has stopped to show what is typed: an answer can be pasted at once.
    stderr.write(question);
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
        stderr.write('\n');
        process.exit(130);
      });
    });
  }
}
