import type { OutgoingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib';

export type Coding = 'br' | 'gzip';

/** A body that fits into one packet is not sent faster when it is compressed. */
const smallestBytes = 1400;
/** Quick rather than small: an answer is compressed once, for one reader. */
const options = { br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }, gzip: { level: 5 } };
const compressible = /^application\/(?:(?:fhir\+)?(?:nd)?json)\b/;
/** The compressor is flushed when the server pauses for so long. */
const pauseMs = 50;

/**
 * The content coding of an answer with this `Accept-Encoding` (RFC 9110 §12.5.3); undefined where it goes out as it is.
 * Documents do: their types are compressed mostly, and a range or a hash of them may be over the bytes.
 */
export function codingFor(
  accepted: string | undefined,
  headers: OutgoingHttpHeaders,
  bytes?: number,
): Coding | undefined {
  const isLong = bytes === undefined || bytes >= smallestBytes;
  const isText = compressible.test(String(headers['Content-Type'])) && headers['Content-Disposition'] === undefined;
  return isLong && isText ? preferred(accepted) : undefined;
}

function preferred(accepted = ''): Coding | undefined {
  const weights = new Map<string, number>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((one) => one.trim());
    const weight = parameters.map((one) => /^q=([\d.]+)$/.exec(one)?.[1]).find((one) => one !== undefined);
    weights.set(name === 'x-gzip' ? 'gzip' : name, Number(weight ?? 1) || 0);
  }
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  const [best] = (['br', 'gzip'] as const).toSorted((one, other) => weightOf(other) - weightOf(one));
  const identity = weights.get('identity') ?? 0;
  return best !== undefined && weightOf(best) > 0 && weightOf(best) >= identity ? best : undefined;
}

const wholes = { br: promisify(brotliCompress), gzip: promisify(gzip) };

export async function compressed(body: string | Buffer, coding: Coding): Promise<Buffer> {
  return coding === 'br' ? wholes.br(body, options.br) : wholes.gzip(body, options.gzip);
}

/** Compresses what passes, and keeps none of it back for long. */
export function compressor(coding: Coding): Transform {
  const stream = coding === 'br' ? createBrotliCompress(options.br) : createGzip(options.gzip);
  let flushed = 0;
  const timer = setInterval(() => {
    if (stream.bytesWritten === flushed) return;
    flushed = stream.bytesWritten;
    stream.flush();
  }, pauseMs);
  timer.unref();
  return stream.once('close', () => clearInterval(timer));
}
