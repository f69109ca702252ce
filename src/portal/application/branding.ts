import { Injectable } from '@nestjs/common';
import { type SmartStyle, smartStyle } from '../../oidc/domain/smart-style.js';
import { Config } from '../../platform/config/config.js';

/** The files of the deployer's branding, by the address at which a browser or an app requests them. */
@Injectable()
export class Branding {
  /** Undefined where the product's own is to be used. */
  readonly favicon: { mimeType: string; content: Buffer } | undefined;
  private readonly style: SmartStyle;

  constructor(config: Config) {
    const { favicon } = config.branding;
    this.favicon = favicon && { mimeType: favicon.mimeType, content: Buffer.from(favicon.base64, 'base64') };
    this.style = smartStyle(config);
  }

  /** The document behind the `smart_style_url` of token answers; undefined for an address of other looks. */
  styleAt(path: string): string | undefined {
    return path === this.style.path ? this.style.json : undefined;
  }
}
