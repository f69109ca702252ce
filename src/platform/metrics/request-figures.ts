import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { catalogue, refusesData } from '../../contract/activity/catalogue.js';
import { endsLaunch } from '../activity/launch-notes.js';
import type { LaunchNotes, Measured, RequestKind } from '../request/scope.js';
import { Figures } from './figures.js';

/** Upper limits in seconds. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Counts requests and measures how long they take, until the whole response has been sent. */
@Injectable()
export class RequestFigures {
  private readonly requests: Counter<'kind' | 'operation' | 'outcome'>;
  private readonly durations: Histogram<'kind' | 'operation'>;
  private readonly serverWaits: Histogram<'operation'>;
  private readonly refusals: Counter<'cause'>;
  private readonly inProgress: Gauge;

  constructor({ registry }: Figures) {
    const registers = [registry];
    this.requests = new Counter({
      name: 'gatehouse_requests_total',
      help: 'Requests by what they are for and the outcome: ok, or the error code of the answer',
      labelNames: ['kind', 'operation', 'outcome'],
      registers,
    });
    this.durations = new Histogram({
      name: 'gatehouse_request_duration_seconds',
      help: 'Time from the head of a request to the end of its response',
      labelNames: ['kind', 'operation'],
      buckets,
      registers,
    });
    this.serverWaits = new Histogram({
      name: 'gatehouse_fhir_server_wait_seconds',
      help: 'Time in which a request for data waited until the FHIR server began its answers',
      labelNames: ['operation'],
      buckets,
      registers,
    });
    this.refusals = new Counter({
      name: 'gatehouse_refusals_total',
      help: 'Refused, failed and declined requests of apps by their cause',
      labelNames: ['cause'],
      registers,
    });
    this.inProgress = new Gauge({
      name: 'gatehouse_requests_in_progress',
      help: 'Requests that are being answered',
      registers,
    });
  }

  /** Measures a request until its connection has no more to do with it. */
  measure(kind: RequestKind, { method }: IncomingMessage, response: ServerResponse): Measured {
    const measured: Measured = { kind, operation: operationOf(kind, method) };
    const started = performance.now();
    this.inProgress.inc();
    response.once('close', () => {
      this.inProgress.dec();
      this.add(measured, response, (performance.now() - started) / 1000);
    });
    return measured;
  }

  /** Counts the causes by which the request of an app was refused. */
  addRefusals({ entries }: LaunchNotes): void {
    for (const { code } of entries)
      if (endsLaunch(catalogue[code]) || refusesData(code)) this.refusals.inc({ cause: code });
  }

  private add(measured: Measured, response: ServerResponse, seconds: number): void {
    const { kind, operation, serverMs } = measured;
    this.requests.inc({ kind, operation, outcome: outcomeOf(measured, response) });
    this.durations.observe({ kind, operation }, seconds);
    if (serverMs !== undefined) this.serverWaits.observe({ operation }, serverMs / 1000);
  }
}

/** The operation as far as it is known before a handler names it. */
function operationOf(kind: RequestKind, method: string | undefined): string {
  if (method === 'OPTIONS') return 'preflight';
  if (kind !== 'api') return kind === 'gateway' || kind === 'token' ? 'other' : '';
  return method === 'GET' || method === 'HEAD' ? 'read' : 'change';
}

/** `aborted` if the client has not waited for the whole response. */
export function outcomeOf({ outcome }: Measured, { statusCode, writableFinished }: ServerResponse): string {
  if (!writableFinished) return 'aborted';
  return outcome ?? (statusCode < 400 ? 'ok' : `status-${statusCode}`);
}
