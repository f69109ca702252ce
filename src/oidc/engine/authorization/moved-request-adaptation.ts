import { Injectable } from '@nestjs/common';
import type Provider from 'oidc-provider';
import type { KoaContextWithOIDC } from 'oidc-provider';
import { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import { Config } from '../../../platform/config/config.js';
import { sha256 } from '../../../platform/crypto/secrets.js';
import { cookieNames } from '../../../platform/http/cookies.js';
import { enginePaths } from '../../domain/engine-paths.js';
import type { EngineAdaptation } from '../shared/engine-adaptation.js';
import type { InteractionExtras } from '../shared/engine-models.js';
import { nowSeconds } from '../shared/lifetimes.js';
import { keepRead } from '../shared/records-read.js';
import { RequestedBases } from '../shared/requested-base.js';
import { interactionPages } from './interaction-binding.js';
import { presentIdOf } from './moved-requests.js';

/**
 * Sends a browser that continues a request under an id that the request no longer has (Back, a second tab, a double
 * click, or an answer that was lost with its cookies) to the step that the request is at. The engine alone would refuse
 * it.
 */
@Injectable()
export class MovedRequestAdaptation implements EngineAdaptation {
  private readonly cookies: ReturnType<typeof cookieNames>;
  private readonly pageOf: ReturnType<typeof interactionPages>;

  constructor(
    private readonly records: OidcRecords,
    bases: RequestedBases,
    { server }: Config,
  ) {
    this.cookies = cookieNames(server.issuer);
    this.pageOf = interactionPages(bases, server.issuer);
  }

  install(provider: Provider): void {
    provider.use(((ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
      const id = continuedId(ctx.path);
      return id === undefined ? next() : this.continue(provider, ctx, { id, next });
    }) as never);
  }

  /**
   * Two calls that continue the same request come one after the other: the first one holds its lock until it commits.
   */
  private async continue(
    provider: Provider,
    ctx: KoaContextWithOIDC,
    { id, next }: { id: string; next: () => Promise<void> },
  ): Promise<void> {
    const found = await this.records.findLocked('Interaction', id);
    if (found) keepRead(ctx, { model: 'Interaction', id, found });
    const isThere = found !== undefined;
    if (isThere && ctx.cookies.get(this.cookies.resume) === id) return next();
    const present = isThere ? id : await presentIdOf(this.records, id);
    const interaction = await provider.Interaction.find(present);
    const { browser } = (interaction ?? {}) as InteractionExtras;
    const binding = ctx.cookies.get(this.cookies.browser, { signed: false });
    if (!interaction || binding === undefined || sha256(binding) !== browser) return next();
    const isAnswered = interaction.result !== undefined;
    // The engine uses the answer to a step with the cookie of that step only.
    if (isAnswered && isThere) return next();
    ctx.cookies.set(this.cookies.resume, present, {
      path: new URL(interaction.returnTo).pathname,
      httpOnly: true,
      sameSite: 'lax',
      secure: this.cookies.secure,
      maxAge: (interaction.exp - nowSeconds()) * 1000,
    });
    ctx.status = 303;
    ctx.redirect(isAnswered ? interaction.returnTo : this.pageOf(ctx, interaction));
  }
}

function continuedId(path: string): string | undefined {
  const start = `${enginePaths.authorization}/`;
  const id = path.startsWith(start) ? path.slice(start.length) : '';
  return /^[\w-]{10,100}$/.test(id) ? id : undefined;
}
