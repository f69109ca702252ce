import { Readable } from 'node:stream';
import { type FhirServerAnswer, isJson } from '../../../fhir-server/application/fhir-server.js';
import { ArrivingBinary, type BinaryResource, BrokenBinary, NoBinary } from '../../domain/binary/arriving-binary.js';
import { BrokenContent } from '../../domain/binary/base64-text.js';
import { contentTypeOf } from '../../domain/binary/content-headers.js';
import { wrapped } from '../../domain/binary/wrapped-content.js';
import { notFound, type Refusal } from '../../domain/refusal.js';
import type { AuthorizedRequest } from '../access/authorized-request.js';
import type { ServerExchange } from '../server/server-exchange.js';
import { serverFailure, unusableAnswer } from '../server/server-failures.js';

/** Content up to this size goes out in one piece. */
const longestSmall = 128 * 1024;

interface AnsweredForm {
  /** The JSON, where it came as such. */
  arriving?: ArrivingBinary;
  /** True for a resource in FHIR JSON, false for content in its own type. */
  isResource: boolean;
  /** False for a resource that came without content: none is stored, or not in the resource. */
  hasContent: boolean;
}

/** A Binary as the server answered it. It must be read to its end, or closed. */
export class AnsweredBinary {
  private constructor(
    private readonly exchange: ServerExchange,
    private readonly answer: FhirServerAnswer,
    /** The resource without its content, or what the headers tell of it. */
    readonly resource: BinaryResource,
    readonly form: AnsweredForm,
  ) {}

  /**
   * Reads as much of an answer as tells what it is, and a resource to its end if `isWhole`: the order of its members is
   * free. JSON that is not a Binary is content of that type, unless a whole resource is wanted.
   */
  static async read(
    exchange: ServerExchange,
    answer: FhirServerAnswer,
    { fhir: { id }, request: { cancellation } }: AuthorizedRequest,
    isWhole: boolean,
  ): Promise<AnsweredBinary> {
    if (answer.status !== 200) {
      answer.discard();
      throw unusableAnswer(`a read of a Binary was answered ${answer.status}`);
    }
    const context = answer.headers.get('x-security-context');
    const described: BinaryResource = {
      resourceType: 'Binary',
      id,
      contentType: answer.headers.get('content-type'),
      ...(context !== undefined && { securityContext: { reference: context } }),
    };
    const asContent: AnsweredForm = { isResource: false, hasContent: true };
    if (!isJson(answer)) return new AnsweredBinary(exchange, answer, described, asContent);
    const arriving = new ArrivingBinary(answer.body, exchange.memory.forRequest(cancellation).counted().add);
    try {
      const head = await arriving.head(isWhole);
      if (head) {
        const { resource, hasContent } = head;
        return new AnsweredBinary(exchange, answer, resource, { arriving, isResource: true, hasContent });
      }
      if (isWhole) throw notFound();
    } catch (error) {
      if (!(error instanceof NoBinary) || isWhole) {
        await arriving.close();
        throw refusalOf(error);
      }
    }
    return new AnsweredBinary(exchange, answer, described, { ...asContent, arriving });
  }

  get contentType(): string {
    return contentTypeOf(this.resource.contentType);
  }

  /** The headers of the answer that an app may see. */
  get headers(): Record<string, string> {
    return this.exchange.headersOf(this.answer);
  }

  /** The version of the resource, as in `_history/3`; undefined if the server tells none. */
  get version(): string | undefined {
    const version = this.resource.meta?.versionId ?? /^(?:W\/)?"([^"]+)"$/.exec(this.headers.etag ?? '')?.[1];
    return typeof version === 'string' ? version : undefined;
  }

  /** The content as bytes; a large one while it arrives, which fails amid it if it is broken. */
  async content(): Promise<{ body: Buffer | Readable; length?: string }> {
    const { answer } = this;
    const { arriving, isResource } = this.form;
    if (arriving) return { body: await gathered(isResource ? arriving.content() : arriving.text()) };
    const small = await this.exchange.smallOf(answer);
    const length = answer.headers.get('content-length');
    return { body: small ?? answer.body, ...(small === undefined && length !== undefined && { length }) };
  }

  /** The resource in FHIR JSON, as the server wrote it, or made of the content where the server has nothing else. */
  async *json(): AsyncGenerator<Buffer> {
    const { arriving, isResource } = this.form;
    if (isResource) {
      yield* arriving?.text() ?? [];
      return;
    }
    const meta = this.version === undefined ? {} : { meta: { versionId: this.version } };
    yield* wrapped(arriving?.text() ?? this.answer.body, { ...this.resource, ...meta });
  }

  async close(): Promise<void> {
    await this.form.arriving?.close();
    this.answer.discard();
  }
}

/** The bytes in one piece if there are few. */
async function gathered(pieces: AsyncGenerator<Buffer>): Promise<Buffer | Readable> {
  const first: Buffer[] = [];
  let size = 0;
  try {
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) {
      first.push(next.value);
      size += next.value.length;
      if (size > longestSmall) return Readable.from(joined(first, pieces), { objectMode: false });
    }
    return Buffer.concat(first);
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): Refusal {
  const isBroken = [BrokenBinary, BrokenContent, NoBinary].some((kind) => error instanceof kind);
  return isBroken
    ? unusableAnswer(`a read of a Binary was answered with ${(error as Error).message}`)
    : serverFailure(error);
}

async function* joined(first: Buffer[], rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (let piece = first.shift(); piece !== undefined; piece = first.shift()) yield piece;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
