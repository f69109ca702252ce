import { startFhirServer } from '../../demo/fhir-server/server.js';
import { createDatabase } from '../support/database/database.js';
import { Agent } from '../support/http/agent.js';
import { hasSchemathesis, schemathesis } from '../support/http/schemathesis.js';
import { everyKind, useEveryKind } from '../support/portal/every-kind.js';
import { freePorts } from '../support/portal/portal.js';
import { PortalProcess } from '../support/portal/portal-process.js';
import { isLong } from '../support/runs.js';
import { login } from '../support/users/authenticator.js';
import { people } from '../support/users/people.js';

const seed = 20261124;
/** Requests that are generated for a call in each phase. */
const examples = 10;

/** Calls that refuse a request for more than its schema says. */
const refusedByRule = {
  'an authorization that is pending, which an invented address is not': [
    ...['Authorization.progressOf', 'Authorization.cancel', 'Authorization.cancelSignIn'],
    ...['Consent.request', 'Consent.decide'],
    ...[
      'Disclaimers.request',
      'Disclaimers.agree',
      'Grants.resumeFor',
      'LaunchContext.request',
      'LaunchContext.choose',
    ],
  ],
  'a link or a ticket that was issued': [
    ...['OwnData.check', 'OwnData.download', 'OwnData.keep', 'Readiness.confirmTestMail', 'Recovery.activate'],
    ...[
      'Recovery.check',
      'Recovery.passkeyOptions',
      'Recovery.reset',
      'WaitingRecovery.begin',
      'WaitingRecovery.check',
    ],
    ...['WaitingRecovery.endByLink', 'LinkPasskey.add', 'LinkPasskey.options'],
  ],
  'the password, the code or the passkey of the user': [
    ...['Helpdesk.reset', 'OwnAccount.changePassword', 'OwnData.delete', 'OwnData.permit', 'OwnRecovery.makeCodes'],
    ...[
      'PasskeySecondFactor.verify',
      'PasskeySignIn.signIn',
      'Passkeys.add',
      'Passkeys.begin',
      'Passkeys.confirm',
      'Passkeys.remove',
      'OwnAccount.removePassword',
      'TwoFactor.disable',
    ],
    ...['TwoFactor.disableByRecovery', 'TwoFactor.enable', 'TwoFactor.verify', 'TwoFactor.verifyRecovery'],
  ],
  'the rules of its form, with their own texts (src/contract/rules)': [
    ...['ClientBulk.change', 'ClientBulk.export', 'ClientRotations.change', 'ClientRotations.start', 'Clients.change'],
    ...['Clients.checkKeys', 'Clients.impact', 'Clients.register', 'FirstAdmin.create', 'LaunchTrial.start'],
    ...[
      'OwnAccount.rename',
      'Passkeys.rename',
      'Recovery.requestReset',
      'Grants.takeBack',
      'Tags.change',
      'Tags.create',
      'UserBulk.change',
    ],
    ...['UserBulk.export', 'UserImport.begin', 'UserImport.check', 'Users.change', 'Users.create'],
  ],
  'the form of a reference of a launch, and the years of a time': [
    ...['Activity.export', 'Activity.get', 'Activity.list', 'Audit.export', 'Audit.list'],
  ],
};

/** Undeclared methods with an address of more than 16 KB, which is refused before its method is looked at. */
const longAddresses = ['Disclaimers.agree', 'Disclaimers.request'];

type Described = Record<string, Record<string, { description: string; operationId: string }>>;

async function described(browser: Agent): Promise<Described> {
  return (await browser.get('/api/openapi.json')).json<{ paths: Described }>().paths;
}

/** Reads that the description says are open to this kind of user. */
async function readsFor(browser: Agent, callers: RegExp): Promise<string[]> {
  return Object.entries(await described(browser)).flatMap(([path, { get }]) =>
    get && callers.test(get.description) ? [`GET ${path}`] : [],
  );
}

function sessionOf({ cookies }: Agent): Record<string, string> {
  const value = (name: string) => cookies.get(name) ?? '';
  return { session: value('gatehouse_session'), sessionSignature: value('gatehouse_session.sig') };
}

const reason = !isLong
  ? 'npm run test:long has it'
  : hasSchemathesis
    ? undefined
    : 'there is no Python with schemathesis';

(reason === undefined ? describe : describe.skip)(
  `What schemathesis makes of the description of the API${reason ? ` (skipped: ${reason})` : `, seed ${seed}`}`,
  () => {
    let fhir: Awaited<ReturnType<typeof startFhirServer>>;
    let database: Awaited<ReturnType<typeof createDatabase>>;
    let portal: PortalProcess;

    // The requests change and delete users and clients.
    beforeEach(async () => {
      fhir = await startFhirServer({ port: 0 });
      database = await createDatabase();
      const [port = 0] = await freePorts(1);
      const config = { ...everyKind, fhir: { baseUrl: fhir.url } };
      portal = await PortalProcess.start({ database: database.connection, port, config });
      await useEveryKind({ issuer: portal.issuer, fhirBase: `${portal.issuer}/fhir` });
    });

    afterEach(async () => {
      await portal?.end('SIGTERM');
      await database?.drop();
      await fhir?.close();
    });

    it('has each call that is left out of a check', async () => {
      const calls = Object.values(await described(new Agent(portal.issuer))).flatMap(Object.values);
      const names = calls.map(({ operationId }) => operationId);
      const leftOut = [...Object.values(refusedByRule).flat(), ...longAddresses];
      expect(leftOut.filter((name) => !names.includes(name))).toEqual([]);
    });

    it.each([
      ['an administrator', people.admin, '^/api/', /Callers: .*administrators/i],
      ['a patient', people.patient, '^/api/(?!admin/)', /Callers: .*patients/i],
      ['a caller without a session', undefined, '^/api/', /Callers: everyone/i],
    ])(
      'is answered to %s as the description says',
      async (_caller, person, paths, callers) => {
        const browser = new Agent(portal.issuer);
        if (person) expect((await login(browser, person)).status).toBe(200);
        const reads = await readsFor(browser, callers);
        expect(reads.length).toBeGreaterThan(5);
        const outcome = await schemathesis({
          issuer: portal.issuer,
          session: person ? sessionOf(browser) : {},
          seed,
          examples,
          paths,
          unchecked: [
            { check: 'positive_data_acceptance', operations: Object.values(refusedByRule).flat() },
            { check: 'unsupported_method', operations: longAddresses },
          ],
        });
        process.stderr.write(
          `schemathesis: ${outcome.requests} requests to ${outcome.operations} calls, seed ${seed}\n`,
        );
        expect(outcome.failures).toBe('');
        expect(outcome.operations).toBeGreaterThan(50);
        expect(outcome.requests).toBeGreaterThan(outcome.operations * 5);
        // Without a session there is none to describe.
        expect(outcome.closed.filter((line) => reads.includes(line))).toEqual(person ? [] : ['GET /api/session']);
        // Otherwise all requests after the end of the session were refused alike.
        expect((await browser.get('/api/session')).status).toBe(person ? 200 : 401);
        expect(portal.output.match(/^.*"level":"error".*$/gm) ?? []).toEqual([]);
      },
      3_600_000,
    );
  },
);
