import { Injectable } from '@nestjs/common';
import { type SmartStyle, smartStyle } from '../../oidc/domain/smart-style.js';
import { Config } from '../../platform/config/config.js';

/** The document behind the `smart_style_url` of token answers. */
@Injectable()
export class StyleDocument {
  private readonly style: SmartStyle;

  constructor(config: Config) {
    this.style = smartStyle(config);
  }

  /** Undefined for an address of other looks. */
  byPath(path: string): string | undefined {
    return path === this.style.path ? this.style.json : undefined;
  }
}
