import { releaseBefore } from '../../../src/platform/database/releases.js';
import { basicAuthorization, type Tokens } from '../../support/apps/smart-app.js';
import { sharedSecret } from '../../support/clients/clients.js';
import { createDatabase } from '../../support/database/database.js';
import { Agent } from '../../support/http/agent.js';
import { builtRelease, commitOf } from '../../support/portal/built-release.js';
import { freePorts } from '../../support/portal/portal.js';
import { PortalProcess } from '../../support/portal/portal-process.js';
import { actingIn, jwtApp, opaqueApp, withSecret } from '../../support/representation/acting.js';
import { type FamilyPortal, family, startFamilyPortal } from '../../support/representation/family-portal.js';

const before = releaseBefore();
const commit = before && commitOf(before.version);
const masterKey = Buffer.from('7'.repeat(64), 'hex');
const sections = { clients: [jwtApp, opaqueApp] };

(commit ? describe : describe.skip)(`A node of release ${before?.version}, which knows no relationships`, () => {
  let built: string;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let ports: number[];
  let issuer: string;
  let portal: FamilyPortal | undefined;
  const old: PortalProcess[] = [];

  beforeAll(async () => {
    built = await builtRelease(commit ?? '');
    database = await createDatabase();
    ports = await freePorts(2);
    issuer = `http://localhost:${ports[0]}`;
  });

  afterAll(async () => {
    await Promise.all(old.map((node) => node.end('SIGKILL')));
    if (portal) await portal.close();
    else await database.drop();
  });

  const startOld = async () => {
    const [, port = 0] = ports;
    const config = { ...sections, users: Object.values(family), fhir: { baseUrl: portal?.upstream.url ?? issuer } };
    const node = await PortalProcess.start({ database: database.connection, port, issuer, config, built });
    old.push(node);
    return node;
  };
  const start = () =>
    startFamilyPortal({ ports: ports.slice(0, 1), filled: { database, masterKey }, config: sections });

  it('keeps a node from starting with representation while it is connected', async () => {
    const node = await startOld();
    await expect(start()).rejects.toThrow(`nodes of release ${before?.version} are connected`);
    await node.end('SIGTERM');
  });

  it('cannot start after the first relationship', async () => {
    portal = await start();
    await actingIn(() => portal as FamilyPortal).acts('leo');
    await expect(startOld()).rejects.toThrow(/./);
    const needs = await portal.query('SELECT needs FROM contraction');
    expect(needs).toEqual([{ needs: 'Representation1763700000121' }]);
  });

  it('refuses the tokens and the codes of relationships, if it runs all the same', async () => {
    const running = portal as FamilyPortal;
    const { tokensFor, beginFor } = actingIn(() => running);
    await running.query('DELETE FROM contraction');
    const node = await startOld();
    const at = new Agent(issuer, node.port);
    const read = async (token: string, patient: string) =>
      (await at.get(`/fhir/Patient/${patient}`, { headers: { authorization: `Bearer ${token}` } })).status;
    const introspect = async (token: string) => {
      const headers = basicAuthorization(opaqueApp.clientId, sharedSecret);
      return (await at.postForm('/connect/introspect', { token }, { headers })).json();
    };
    for (const launch of [{}, withSecret]) {
      const own = await tokensFor('1', launch);
      expect(await read(own.tokens.access_token, '1')).toBe(200);
      const { app, tokens } = await tokensFor('leo', launch);
      expect(await read(tokens.access_token, 'leo')).toBe(401);
      expect((await app.refresh(tokens.refresh_token ?? '', {}, at)).status).toBe(400);
      expect(await introspect(tokens.access_token)).toEqual({ active: false });
      const begun = await beginFor('leo', launch);
      await begun.app.consent(begun.returnUrl, await begun.app.offeredScopes(begun.returnUrl));
      const code = new URL(await begun.app.follow(begun.returnUrl)).searchParams.get('code') ?? '';
      expect((await begun.app.exchange(code, {}, at)).status).toBe(400);
      expect((await app.refresh(tokens.refresh_token ?? '')).json<Tokens>().patient).toBe('leo');
    }
  });
});
