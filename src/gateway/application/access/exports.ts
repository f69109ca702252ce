import { type FhirRequest, pathOf } from '../../domain/fhir-request.js';
import type { GatewayAnswer } from '../server/gateway-request.js';
import { type ServerExchange, unusableAnswer } from '../server/server-exchange.js';
import type { AuthorizedRequest } from './authorized-request.js';

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
    const progress = answer.headers.get('x-progress');
    const headers = this.exchange.headersOf(answer);
    return { status: 202, headers: progress === undefined ? headers : { ...headers, 'X-Progress': progress } };
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

  /** The list of files, with addresses that the app can use. */
  private manifest(text: string, { fhir, exportLink }: AuthorizedRequest): string {
    const files = (value: unknown) =>
      (Array.isArray(value) ? value : []).map((file: Json) => {
        const url = exportLink(typeof file?.url === 'string' ? file.url : '', 'file')?.link;
        if (url === undefined) throw unusableAnswer('a file of an export is not on the FHIR server');
        return { ...file, url };
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
