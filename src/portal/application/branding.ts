import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';

/** What the deployer's own looks are made of, where a browser asks for them by address. */
@Injectable()
export class Branding {
  /** Undefined where the product's own is to be used. */
  readonly favicon: { mimeType: string; content: Buffer } | undefined;

  constructor({ branding }: Config) {
    const { favicon } = branding;
    this.favicon = favicon && { mimeType: favicon.mimeType, content: Buffer.from(favicon.base64, 'base64') };
  }
}
