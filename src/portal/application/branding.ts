import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';

/** The files of the deployer's branding, by the address at which a browser requests them. */
@Injectable()
export class Branding {
  /** Undefined where the product's own is to be used. */
  readonly favicon: { mimeType: string; content: Buffer } | undefined;

  constructor({ branding }: Config) {
    const { favicon } = branding;
    this.favicon = favicon && { mimeType: favicon.mimeType, content: Buffer.from(favicon.base64, 'base64') };
  }
}
