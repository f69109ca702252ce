import { setTimeout as sleep } from 'node:timers/promises';
import type { Adapter, AdapterPayload } from 'oidc-provider';
import Provider, { errors } from 'oidc-provider';
import type { EndCode } from '../../../contract/activity/end-causes.js';
import { permittedText } from '../../../contract/rules/scopes/taken-back.js';
import type { Found, FoundOfGrant, Payload } from '../../../oidc-store/infrastructure/oidc-record.js';
import type { OidcRecords } from '../../../oidc-store/infrastructure/oidc-records.js';
import { type Revocations, tokenModels } from '../../../oidc-store/infrastructure/revocations.js';
import { identifyLaunch } from '../../../platform/activity/launch-notes.js';
import { LateDuplicate } from '../shared/late-duplicate.js';
import { spareGrantSeconds } from '../shared/lifetimes.js';
import { keepRead, takeRead } from '../shared/records-read.js';

/** Looks up a client: the engine treats it as a model, but the clients module stores it. */
type FindClient = (clientId: string) => Promise<AdapterPayload | undefined>;

const pushed = 'PushedAuthorizationRequest';

/** The engine's ids are base64url. A JWT is none, so that a request with one needs no lookup. */
const idPattern = /^[\w-]+$/;

/** Models that are looked up to describe or to use an access token. */
const readModels: ReadonlySet<string> = new Set(['AccessToken', 'ClientCredentials', 'RefreshToken', 'Grant']);

/** True for a request that only reads the records of its token. There is no request to the engine at the gateway. */
function changesNothing(): boolean {
  const { ctx } = Provider;
  return ctx === undefined || ctx.oidc.route === 'introspection' || ctx.oidc.route === 'userinfo';
}

/** Longest time in which requests that were sent at once may report that they lost (`lost`). */
const burstMs = 250;

/**
 * The engine's storage adapter over {@link OidcRecords}. It joins the ambient transaction of the request.
 *
 * Two members never reach the database: `jti`, which is the code or token itself, and the session id inside an
 * interaction.
 */
export function adapterFactory(
  records: OidcRecords,
  revocations: Revocations,
  findClient: FindClient,
): (model: string) => Adapter {
  return (model) => (model === 'Client' ? clientAdapter(findClient) : recordAdapter(records, revocations, model));
}

function recordAdapter(records: OidcRecords, revocations: Revocations, model: string): Adapter {
  /**
   * A client that redeems one code many times at once is not a thief, and the tokens of its first request must stay
   * valid. A request that seems to come later gives earlier ones the time to report that they lost (`lost`).
   */
  async function findCode(id: string): Promise<FoundOfGrant | undefined> {
    let found = await records.findUnusedWithGrant(model, id);
    if (found?.payload.consumed && !found.consumedMeanwhile) {
      await sleep(burstMs);
      found = await records.findUnusedWithGrant(model, id);
    }
    if (!found?.consumedMeanwhile) return found;
    await records.recordLostRace(model, id);
    throw new LateDuplicate('authorization code already consumed', { ...found.payload, kind: model });
  }

  async function findRecord(id: string): Promise<Found | undefined> {
    if (!idPattern.test(id)) return undefined;
    if (readModels.has(model) && changesNothing()) return records.read(model, id);
    if (model === 'Session') return records.findSession(id);
    if (model !== 'AuthorizationCode' && model !== 'RefreshToken')
      return takeRead(model, id) ?? records.findById(model, id);
    // A request waits for a concurrent one with the same code or token, and a refresh so finds its response to repeat.
    const found = await (model === 'RefreshToken' ? records.findLockedWithGrant(model, id) : findCode(id));
    const { grant } = found ?? {};
    if (Provider.ctx && grant) keepRead(Provider.ctx, { model: 'Grant', id: String(grant.payload.jti), found: grant });
    const { narrowed, openid } = (grant?.payload ?? {}) as { narrowed?: true; openid?: { scope?: string } };
    if (found && narrowed) found.payload.scope = permittedText(String(found.payload.scope ?? ''), openid?.scope ?? '');
    // A request of another client says nothing about the launch.
    if (found?.payload.clientId === Provider.ctx?.oidc.client?.clientId) {
      identifyLaunch({ id: grant?.payload.launchId as string | undefined });
    }
    return found;
  }

  return {
    async upsert(id, payload, expiresIn) {
      if (!expiresIn) throw new RangeError(`${model} is stored without an end`);
      const spare = model === 'RefreshToken' ? spareGrantSeconds(Provider.ctx?.oidc.client, expiresIn) : 0;
      await records.upsert(model, id, asStored(withoutSecrets(payload as Payload)), expiresIn, spare);
    },
    async find(id) {
      const found = await findRecord(id);
      const isAnswered = model === pushed && found?.payload.consumed && Provider.ctx?.oidc.route === 'resume';
      if (isAnswered) throw answeredAlready();
      return found && (asRead(found.payload) as AdapterPayload);
    },
    async findByUid(uid) {
      return (await records.findByUid(model, uid))?.payload as AdapterPayload | undefined;
    },
    async findByUserCode() {
      return undefined;
    },
    async consume(id) {
      // The request found it unconsumed and has locked it since.
      if (model === 'AuthorizationCode' || model === 'RefreshToken') return records.consumeLocked(model, id);
      if (!(await records.consume(model, id))) throw answeredAlready();
    },
    async destroy(id) {
      if (model === 'Grant') await revocations.revokeGrant(id, endOfRequest());
      else if (isToken(model)) await revocations.endToken(model, id, endOfRequest());
      else await records.destroy(model, id);
    },
    async revokeByGrantId(grantId) {
      // The engine removes records model by model and ends the grant with them (`revokeGrantPolicy`); the grant must be
      // locked first.
      await revocations.revokeGrant(grantId, endOfRequest());
    },
  };
}

/**
 * The format of a Grant or access token that is based on a relationship. A release before, which would give full
 * access, finds a record of a format that its engine does not know, and refuses it, and the codes and refresh tokens of
 * the Grant.
 */
const representedFormat = 'represented';

function asStored(payload: Payload): Payload {
  const { extra } = payload as { extra?: { representation?: string } };
  const isRepresented = payload.representation !== undefined || extra?.representation !== undefined;
  return isRepresented ? { ...payload, format: representedFormat } : payload;
}

function asRead(payload: Payload): Payload {
  if (payload.format !== representedFormat) return payload;
  const { format: _, ...rest } = payload;
  return rest;
}

function isToken(model: string): model is (typeof tokenModels)[number] {
  return tokenModels.some((known) => known === model);
}

/**
 * The cause that ends a grant in the current request. Without one of these, and outside of the engine, the user takes
 * permissions back.
 */
function endOfRequest(): EndCode {
  const ends: Record<string, EndCode> = {
    revocation: 'ended-by-app',
    token: 'ended-by-reuse',
    end_session_confirm: 'ended-by-sign-out',
  };
  return ends[Provider.ctx?.oidc?.route ?? ''] ?? 'ended-by-person';
}

/** Two users continued one pushed request: the client gets an error of RFC 6749 §4.1.2.1 for the later one. */
function answeredAlready(): errors.OIDCProviderError {
  return new errors.InvalidRequest('the pushed request was answered already');
}

function withoutSecrets(payload: Payload): Payload {
  const { session } = payload as { session?: Record<string, unknown> };
  if (session?.cookie === undefined) return payload;
  const { cookie: _, ...rest } = session;
  return { ...payload, session: rest };
}

function clientAdapter(findClient: FindClient): Adapter {
  const refuse = async () => {
    throw new Error('clients are not stored by the engine');
  };
  return {
    find: findClient,
    upsert: refuse,
    findByUid: refuse,
    findByUserCode: refuse,
    consume: refuse,
    destroy: refuse,
    revokeByGrantId: refuse,
  };
}
