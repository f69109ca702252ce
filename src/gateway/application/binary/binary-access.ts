import { Readable } from 'node:stream';
import { type FhirServerAnswer, isJson } from '../../../fhir-server/application/fhir-server.js';
import { contentHeaders } from '../../domain/binary/content-headers.js';
import { isAccepted, printRanges, type WantedForm, wantedForm } from '../../domain/binary/wanted-form.js';
import { pathOf } from '../../domain/fhir-request.js';
import { notFound, Refusal } from '../../domain/refusal.js';
import { namesVersion, preconditions } from '../../domain/request-headers.js';
import { trims } from '../../domain/search-parameters.js';
import type { AuthorizedRequest } from '../access/authorized-request.js';
import type { GatewayAnswer } from '../server/gateway-request.js';
import { fhirJson, type ServerExchange } from '../server/server-exchange.js';
import { AnsweredBinary } from './answered-binary.js';
import type { BinaryRights } from './binary-rights.js';

const fhirJsonType = 'application/fhir+json';

/**
 * Reads of a Binary (FHIR R4 Binary §Serving Binary Resources using the RESTful API). Its content goes out in its own
 * type and unchanged, as the server sends it or decoded from FHIR JSON; the resource goes out where FHIR JSON is asked
 * for.
 */
export class BinaryAccess {
  constructor(
    private readonly exchange: ServerExchange,
    private readonly rights: BinaryRights,
  ) {}

  async read(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request } = authorized;
    const wanted = wantedForm(request.headers, fhir.parameters);
    if (authorized.isLimited) return this.readLimited(authorized, wanted);
    const content = wanted.content.length > 0 ? await this.readContent(authorized, wanted) : undefined;
    return content ?? this.readResource(authorized);
  }

  /** The resource of a token that may read each of them. */
  private async readResource(authorized: AuthorizedRequest): Promise<GatewayAnswer> {
    const { fhir, request, token } = authorized;
    const answer = await this.ask(authorized, fhirJsonType, preconditions(fhir.interaction, request.headers));
    if (answer.status === 200 && !isJson(answer)) {
      const binary = await AnsweredBinary.read(this.exchange, answer, authorized, false);
      return this.closedOnFailure(binary, async () => this.resourceOf(binary, binary.resource));
    }
    const types = new Set(['Binary', 'OperationOutcome']);
    const expected = token.permitsAll('*', 'rs') ? undefined : { types, isBundle: false };
    return this.exchange.passOn(answer, { expected, cancellation: request.cancellation });
  }

  /** Undefined if the content is of another type than wanted, and the resource will do. */
  private async readContent(authorized: AuthorizedRequest, wanted: WantedForm): Promise<GatewayAnswer | undefined> {
    const { fhir, request } = authorized;
    const answer = await this.ask(authorized, printRanges(wanted), preconditions(fhir.interaction, request.headers));
    if (answer.status === 304) {
      answer.discard();
      return { status: 304, headers: this.exchange.headersOf(answer) };
    }
    const binary = await AnsweredBinary.read(this.exchange, answer, authorized, false);
    return this.closedOnFailure(binary, () => this.contentOf(binary, wanted, authorized, binary.resource));
  }

  /** Throws the refusal of a limited token that may not read the Binary. */
  async assertReadable(authorized: AuthorizedRequest): Promise<void> {
    const binary = await this.readStored(authorized);
    await this.closedOnFailure(binary, async () => {
      await this.patientOf(binary, authorized);
    });
  }

  private async readLimited(authorized: AuthorizedRequest, wanted: WantedForm): Promise<GatewayAnswer> {
    const { fhir, request } = authorized;
    if (trims(fhir.parameters)) {
      throw new Refusal(403, 'not-supported', "With this token '_elements' and '_summary' are not supported.");
    }
    const binary = await this.readStored(authorized);
    return this.closedOnFailure(binary, async () => {
      const { resource, headers } = binary;
      const patient = await this.patientOf(binary, authorized);
      const known = request.headers['if-none-match'];
      if (known !== undefined && headers.etag !== undefined && namesVersion(known, headers.etag)) {
        await binary.close();
        return { status: 304, headers };
      }
      const ofPatient = { resourceType: 'Binary', securityContext: { reference: `Patient/${patient}` } };
      const about = patient === undefined ? resource : ofPatient;
      const content = wanted.content.length > 0 ? await this.contentOf(binary, wanted, authorized, about) : undefined;
      return content ?? this.resourceOf(binary, about);
    });
  }

  private async patientOf(binary: AnsweredBinary, authorized: AuthorizedRequest): Promise<string | undefined> {
    const { versionId } = authorized.fhir;
    const { resource } = binary;
    if (versionId !== undefined && authorized.token.limit) await this.assertCurrentReadable(authorized);
    const version = versionId ?? binary.version;
    const isCurrent = async () => versionId === undefined || versionId === (await this.currentVersion(authorized));
    const patient = await this.rights.patientOf({ resource, version, isCurrent }, authorized);
    authorized.checkResource?.(resource);
    return patient;
  }

  /** For who acts for a patient a version is open only if the current one is. */
  private assertCurrentReadable(authorized: AuthorizedRequest): Promise<void> {
    const { versionId: _version, ...fhir } = authorized.fhir;
    return this.assertReadable({ ...authorized, fhir: { ...fhir, interaction: 'read' } });
  }

  /** The Binary as it is on the server. It is asked for as a resource, which tells more about it than its content. */
  private async readStored(authorized: AuthorizedRequest): Promise<AnsweredBinary> {
    const { id } = authorized.fhir;
    const answer = await this.ask(authorized, fhirJsonType).catch((error: unknown) => {
      // The server's refusal may depend on the resource (gone, locked), so it becomes a 404.
      throw error instanceof Refusal && error.status < 500 ? notFound() : error;
    });
    const binary = await AnsweredBinary.read(this.exchange, answer, authorized, true);
    if (binary.resource.id === id) return binary;
    await binary.close();
    throw notFound();
  }

  /** The version that links without one mean. */
  private async currentVersion(authorized: AuthorizedRequest): Promise<string | undefined> {
    const { fhir, request } = authorized;
    const { cancellation } = request;
    const path = `/Binary/${fhir.id}`;
    try {
      const answer = await this.exchange.send({ method: 'GET', path, cancellation });
      const current = await AnsweredBinary.read(this.exchange, answer, authorized, true);
      await current.close();
      return current.version;
    } catch (error) {
      if (error instanceof Refusal && error.status < 500) return undefined;
      throw error;
    }
  }

  /**
   * The content in its own type, with `about` for the record; undefined if that is not wanted, and the resource will
   * do.
   */
  private async contentOf(
    binary: AnsweredBinary,
    wanted: WantedForm,
    authorized: AuthorizedRequest,
    about: unknown,
  ): Promise<GatewayAnswer | undefined> {
    const { id = '' } = authorized.fhir;
    const { contentType } = binary;
    if (!isAccepted(contentType, wanted)) {
      if (!wanted.resource) throw notAcceptable();
      return undefined;
    }
    const apart = binary.form.hasContent ? undefined : await this.contentApart(binary, authorized);
    if (apart) await binary.close();
    const { body, length } = await (apart ?? binary).content();
    const headers = { ...binary.headers, ...contentHeaders(id, contentType) };
    const sized = length === undefined ? headers : { ...headers, 'Content-Length': length };
    return { status: 200, headers: sized, body, record: { about: [about] } };
  }

  /** Servers that keep content apart from the resource send it in its own type only. */
  private async contentApart(
    binary: AnsweredBinary,
    authorized: AuthorizedRequest,
  ): Promise<AnsweredBinary | undefined> {
    const { contentType } = binary;
    // A document may be in FHIR JSON itself.
    const answer = await this.ask(authorized, contentType.includes('json') ? '*/*' : contentType);
    const apart = await AnsweredBinary.read(this.exchange, answer, authorized, false);
    const isSame = apart.version === undefined || binary.version === undefined || apart.version === binary.version;
    if (!apart.form.isResource && isSame) return apart;
    await apart.close();
    if (apart.form.isResource) return undefined;
    throw new Refusal(503, 'transient', 'The document was changed while it was read. Please try again.', {
      'Retry-After': '1',
    });
  }

  private resourceOf(binary: AnsweredBinary, about: unknown): GatewayAnswer {
    const body = this.exchange.streamForApp(Readable.from(binary.json(), { objectMode: false }));
    return { status: 200, headers: { ...binary.headers, 'Content-Type': fhirJson }, body, record: { about: [about] } };
  }

  /** Asks the server in a form, and then in any other that it may have in place of it. */
  private async ask(
    { fhir, request }: AuthorizedRequest,
    accept: string,
    conditions: Record<string, string> = {},
  ): Promise<FhirServerAnswer> {
    const send = (accepted: string) => {
      const headers = { ...conditions, accept: accepted };
      return this.exchange.send({ method: 'GET', path: pathOf(fhir), headers, cancellation: request.cancellation });
    };
    try {
      return await send(accept);
    } catch (error) {
      if (!(error instanceof Refusal && (error.status === 406 || error.status === 415))) throw error;
      return send(accept === fhirJsonType ? '*/*' : fhirJsonType);
    }
  }

  private async closedOnFailure<T>(binary: AnsweredBinary, work: () => Promise<T>): Promise<T> {
    try {
      const done = await work();
      if (done === undefined) await binary.close();
      return done;
    } catch (error) {
      await binary.close();
      throw error;
    }
  }
}

function notAcceptable(): Refusal {
  return new Refusal(406, 'not-supported', 'The content of this Binary is of a type that is not accepted.');
}
