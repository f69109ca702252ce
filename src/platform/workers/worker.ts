import cluster from 'node:cluster';
import type { Config } from '../config/config.js';
import type { PostgresConnection } from '../database/connection.js';
import type { FromWorker, ToWorker } from './messages.js';

/** A worker that does not answer within this time is blocked. */
const patienceMs = 5_000;

/** True in a process that `server.workers` started. */
export const isWorker = cluster.isWorker;

/** The configuration that a worker gets from the primary process: it is the same for all, and checked once. */
export function fromPrimary(): Promise<{ config: Config; connection: PostgresConnection }> {
  return new Promise((resolve, reject) => {
    onMessage((message, off) => {
      if (message.kind !== 'start') return;
      off();
      resolve(message);
    });
    // A message that arrived before would be lost.
    send({ kind: 'listening' }).catch(reject);
  });
}

/** Tells the primary process that this worker serves. */
export async function announceReady(greeting: string): Promise<void> {
  await send({ kind: 'ready', greeting });
}

/** Tells the primary process why this worker could not start; it prints the explanation. */
export async function announceFailure(explanation: string | undefined): Promise<void> {
  await send({ kind: 'failed', explanation });
}

/** Lets each worker answer for all of them. */
export class WorkerReports<Report> {
  private readonly asked = new Map<number, (reports: Report[]) => void>();
  private questions = 0;

  constructor(own: () => Promise<Report>) {
    if (!isWorker) return;
    onMessage((message) => {
      if (message.kind === 'report') {
        // Without an answer the question ends by its time-out.
        own().then(
          (report) => send({ kind: 'report', id: message.id, report }),
          () => undefined,
        );
      }
      if (message.kind === 'reports') this.asked.get(message.id)?.(message.reports as Report[]);
    });
  }

  /**
   * The reports of all workers that serve; undefined if this process is not one of several. Throws if one does not
   * answer.
   */
  async all(): Promise<Report[] | undefined> {
    if (!isWorker) return undefined;
    this.questions += 1;
    const id = this.questions;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<Report[]>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error('a worker does not answer')), patienceMs);
        this.asked.set(id, resolve);
        send({ kind: 'reports', id }).catch(reject);
      });
    } finally {
      clearTimeout(timer);
      this.asked.delete(id);
    }
  }
}

function onMessage(handle: (message: ToWorker, off: () => void) => void): void {
  const listener = (message: unknown) => handle(message as ToWorker, () => process.off('message', listener));
  process.on('message', listener);
}

function send(message: FromWorker): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, undefined, undefined, (error) => (error ? reject(error) : resolve()));
  });
}
