import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { isLoopback } from '../../../platform/config/load-config.js';
import { equalInConstantTime, Secrets } from '../../../platform/crypto/secrets.js';
import { Installation } from '../../domain/installation.js';

/**
 * Proof that the creator of the first administrator can read this portal's output: on a network, any client could be
 * first (security J-03). Derived from the master key and the installation, so that every node prints the same one and
 * none is stored.
 */
@Injectable()
export class SetupToken {
  constructor(
    private readonly config: Config,
    private readonly secrets: Secrets,
    private readonly installation: Installation,
  ) {}

  /** The token, or undefined once there is an administrator and where only this machine can connect. */
  async whileNeeded(): Promise<string | undefined> {
    if (this.isForThisMachine() || (await this.installation.hadAdmin())) return undefined;
    return this.secrets.hmac('setup-token', await this.installation.id());
  }

  /** True as well when none is needed. */
  async accepts(given: string | undefined): Promise<boolean> {
    const expected = await this.whileNeeded();
    return expected === undefined || (given !== undefined && equalInConstantTime(given, expected));
  }

  /** A proxy that lets others in connects from this machine as well, but then the portal has a name that they know. */
  private isForThisMachine(): boolean {
    const { host, issuer } = this.config.server;
    return isLoopback(host) && isLoopback(new URL(issuer).hostname);
  }
}
