import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { cookieNames } from '../../platform/http/cookies.js';

export interface Description {
  json: string;
  gzipped: Buffer;
  /** The tag of the content, for If-None-Match (RFC 9110 §8.8.3). */
  tag: string;
}

/**
 * The description of the API that the build writes (`scripts/openapi.mjs`), with the issuer and the cookie of this
 * portal.
 */
export class ApiDescription {
  private made: Promise<Description | undefined> | undefined;

  constructor(
    private readonly file: string,
    private readonly issuer: string,
  ) {}

  /** Undefined without a build: the API works without its description. */
  read(): Promise<Description | undefined> {
    this.made ??= this.build().catch((error: NodeJS.ErrnoException) => {
      this.made = undefined;
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    return this.made;
  }

  private async build(): Promise<Description> {
    const built = await readFile(this.file, 'utf8');
    const json = built
      .replaceAll('https://issuer.invalid', () => this.issuer)
      .replaceAll('session-cookie.invalid', () => cookieNames(this.issuer).session);
    const hash = createHash('sha256').update(json).digest('base64url');
    return { json, gzipped: await promisify(gzip)(json), tag: hash.slice(0, 22) };
  }
}
