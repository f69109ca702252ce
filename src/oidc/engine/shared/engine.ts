import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import { Config } from '../../../platform/config/config.js';

/**
 * The engine that processes requests now. Its keys are fixed at construction, so other keys need another instance.
 * Requests in progress finish on the instance they began with; no caller may keep `provider` beyond a call.
 */
@Injectable()
export class Engine {
  provider: Provider;
  /** The engine's paths as a request listener. */
  handle: ReturnType<Provider['callback']>;
  readonly issuer: string;
  /** `http` or `https`, as seen by browsers and clients. */
  readonly scheme: string;
  /** The issuer's host, with its port. */
  readonly host: string;

  constructor(config: Config) {
    this.issuer = config.server.issuer;
    const { protocol, host } = new URL(this.issuer);
    this.scheme = protocol.slice(0, -1);
    this.host = host;
  }

  /** New requests go to this instance. */
  use(provider: Provider): void {
    this.handle = provider.callback();
    this.provider = provider;
  }
}
