import { log } from '../../../platform/logging/log.js';
import { type FhirRequest, isResourceType, pathOf } from '../../domain/fhir-request.js';
import { storedFile } from '../server/export-stores.js';
import type { GatewayAnswer } from '../server/gateway-request.js';
import type { ServerExchange } from '../server/server-exchange.js';
import { unusableAnswer } from '../server/server-failures.js';
import type { AuthorizedRequest, LostFiles } from './authorized-request.js';

type Json = Record<string, unknown>;

/**
 * Bulk exports (Bulk Data Access 2.0): a job is started, polled until it is done, and then names its files. All of
 * these addresses are defined by the server, so the app gets sealed ones, like those of further pages.
 */
export class Exports {
  constructor(private readonly exchange: ServerExchange) {}

  /** All requests of one export have the same key in the record of accesses. */
  async handle(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const answer = await this.carryOut(authorized);
    const { job } = authorized.fhir;
    return job === undefined ? answer : { ...answer, record: { export: job } };
  }

  private async carryOut(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request } = authorized;
    switch (fhir.exported) {
      case undefined:
        return this.begin(authorized);
      case 'job':
        return request.method === 'DELETE' ? this.cancel(authorized) : this.progress(authorized);
      case 'file':
        return this.exchange.passLines(await this.file(authorized));
      case 'stored':
        return this.exchange.passLines(await storedFile(this.exchange, fhir.page ?? '', request.cancellation));
      case 'lost':
        return lostFiles(JSON.parse(fhir.page ?? ''));
    }
  }

  private async begin(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const answer = await this.get(authorized, { prefer: 'respond-async' });
    answer.discard();
    const job = authorized.exportLink(answer.headers.get('content-location') ?? '', 'job');
    if (answer.status !== 202 || job === undefined)
      throw unusableAnswer('an export was begun without a job to ask for');
    return { status: 202, headers: { 'Content-Location': job.link }, record: { export: job.key } };
  }

  private async progress(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const answer = await this.get(authorized, { accept: 'application/json' });
    if (answer.status !== 202) {
      const body = this.manifest(await this.exchange.readChecked(answer, authorized.request.cancellation), authorized);
      return { status: 200, headers: { 'Content-Type': 'application/json' }, body };
    }
    answer.discard();
    return { status: 202, headers: this.exchange.headersOf(answer) };
  }

  private async cancel({ fhir, request: { cancellation } }: AuthorizedRequest): Promise<GatewayAnswer> {
    const answer = await this.exchange.sendChange({ method: 'DELETE', path: pathOf(fhir), cancellation });
    answer.discard();
    return { status: 202, headers: {} };
  }

  private file({ fhir, request: { cancellation } }: AuthorizedRequest) {
    const headers = { accept: 'application/fhir+ndjson' };
    return this.exchange.send({ method: 'GET', path: pathOf(fhir), headers, cancellation, unpacks: true });
  }

  private get({ fhir, request: { cancellation } }: AuthorizedRequest, headers: Record<string, string>) {
    return this.exchange.send({ method: 'GET', path: pathOf(fhir), headers, cancellation });
  }

  /** The list of files, with addresses that the app can use. Files that it cannot be given are told as errors. */
  private manifest(text: string, { fhir, exportLink, lostFilesLink }: AuthorizedRequest): string {
    const lost: string[] = [];
    const files = (value: unknown): Json[] =>
      (Array.isArray(value) ? value : []).flatMap((file: Json) => {
        const own = typeof file?.url === 'string' ? file.url : '';
        const url = exportLink(own, 'file')?.link;
        if (url === undefined) lost.push(nameOf(own, file?.type));
        return url === undefined ? [] : [{ ...file, url }];
      });
    let manifest: Json | null;
    try {
      manifest = JSON.parse(text);
    } catch {
      throw unusableAnswer('the list of an export’s files is not JSON');
    }
    const { output, deleted, error, ...more } = manifest ?? {};
    if (!Array.isArray(output)) throw unusableAnswer('an export has no list of files');
    const lists = { output: files(output), deleted: files(deleted), error: files(error) };
    if (lost.length > 0) {
      log.warn({ files: lost.length }, 'files of an export are at no origin of fhir.exportStores');
      lists.error.push({ type: 'OperationOutcome', url: lostFilesLink(lost) });
    }
    const request = this.requestOf(more.request, fhir);
    return this.exchange.forApp(JSON.stringify({ ...more, request, ...lists, requiresAccessToken: true }));
  }

  /** The address of the request that began the export, whatever the server calls itself there. */
  private requestOf(request: unknown, fhir: FhirRequest): string | undefined {
    if (typeof request !== 'string') return undefined;
    const { names } = this.exchange;
    const own = pathOf({ ...fhir, page: undefined, parameters: [] });
    const target = names.targetOf(request, own);
    if (target !== undefined && !/^https?:/.test(target)) return names.base + target;
    return names.base + own + (URL.canParse(request) ? new URL(request).search : '');
  }
}

const longestName = 80;

/** The file by its own name: where it is kept is the operator's business. */
function nameOf(url: string, type: unknown): string {
  const [path = ''] = url.split(/[?#]/);
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9._-]/g, '');
  const what = typeof type === 'string' && isResourceType(type) ? ` of ${type}` : '';
  return (name === '' ? 'without a name' : name.slice(0, longestName)) + what;
}

/** An OperationOutcome for each (Bulk Data Access 2.0 §response---output-manifest). */
function lostFiles({ names, more }: LostFiles): GatewayAnswer {
  const subjects = [...names.map((name) => `The file ${name} is`), ...(more > 0 ? [`${more} further files are`] : [])];
  const outcomes = subjects.map((subject) => {
    const diagnostics = `${subject} kept where the portal fetches no files from. An administrator can add the place (fhir.exportStores).`;
    const issue = [{ severity: 'error', code: 'not-supported', diagnostics }];
    return `${JSON.stringify({ resourceType: 'OperationOutcome', issue })}\n`;
  });
  return { status: 200, headers: { 'Content-Type': 'application/fhir+ndjson' }, body: outcomes.join('') };
}
