import type { Page } from 'playwright-core';
import { shippedBases, shippedLevels } from '../../../src/platform/config/representation-defaults.js';
import { Relationships } from '../../../src/representation/domain/relationships.js';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectNoSidewaysScroll, type TestBrowser } from '../../support/browser/browser.js';
import { signInByApi } from '../../support/browser/pages.js';
import { foreignTexts, makePseudoLanguages, type PseudoLanguages } from '../../support/browser/pseudo-language.js';
import { publicApp } from '../../support/clients/clients.js';
import { type SmallFhirServer, startSmallFhirServer } from '../../support/fhir/small-fhir-server.js';
import { startPortal, type TestPortal } from '../../support/portal/portal.js';
import { thisYear } from '../../support/representation/birthdays.js';
import { aNewRelationship } from '../../support/representation/relationship.js';
import { isLong } from '../../support/runs.js';
import { type Person, people } from '../../support/users/people.js';

export const agreeing = { ...publicApp, clientId: 'agreeing-app', clientName: 'Gentle Heart' };
export const strict = { ...publicApp, clientId: 'strict-app', clientName: 'Ward Round', require2fa: true };
export const silent = { ...publicApp, clientId: 'silent-app', clientName: 'Quiet Ward', requireConsent: false };
/** Acts for Amelia and Noah. */
export const carer: Person = {
  ...people.patient,
  email: 'cora.carer@example.org',
  fullName: 'Cora Carer',
  claims: [{ name: 'fhirUser', value: 'Patient/3' }],
};
/** Has a parent who acts, one who did until the age of 18, and an app. */
export const youth: Person = {
  ...people.patient,
  email: 'yara.youth@example.org',
  fullName: 'Yara Youth',
  claims: [{ name: 'fhirUser', value: 'Patient/young' }],
};
const disclaimer = { id: 'use', description: 'Portal use', html: '<p>Be careful.</p>', clients: ['agreeing-app'] };
export const scope =
  'openid fhirUser offline_access launch/patient patient/Observation.rs patient/Appointment.cruds launch';

export type Show = (page: Page) => Promise<unknown>;

/** Texts that are the same in every language: names, addresses, texts of the FHIR server and of the operator. */
const sameTexts = [
  ...Object.values(people).flatMap(({ fullName, email }) => [fullName, email]),
  ...[...Object.values(people).map(({ fullName }) => fullName.replace(/[^A-Z]/g, '')), 'AJ', 'HC', 'WR', 'QW', 'GH'],
  ...[publicApp, strict, silent, agreeing].flatMap(({ clientName, clientId }) => [clientName, clientId]),
  ...[
    'Portal use',
    'invited.admin@example.org',
    'Be careful.',
    'Gatehouse',
    'localhost',
    'XXXXXX-XXXXXX',
    '/api/admin/client',
  ],
  ...[
    'Amelia Jane Ward',
    'Imaging study',
    'Imaging Study',
    'Noah Reed',
    'Female',
    'Male',
    'NB',
    'Patient/1',
    'Patient/2',
    'Patient/3',
    'Practitioner/practitioner-1',
  ],
  // Words of the configuration about who acts for patients.
  ...Object.values(shippedBases).flatMap(({ label, relations }) => [
    label,
    ...relations.flatMap(({ representative, patient }) => [representative, patient]),
  ]),
  ...Object.values(shippedLevels).map(({ label }) => label),
  ...[carer.fullName, carer.email, 'CC', 'AW', 'Cora', 'C', 'Yara', youth.fullName, 'YY'],
];

/** The first element of what a button opens. */
export const dialog = '[role=dialog]:focus-within';
export const error = '[aria-invalid=true]';
export const field = 'input:focus';

export async function settled(page: Page, path: string): Promise<void> {
  await page.waitForURL((url) => url.pathname === path);
  await page.getByRole('heading', { level: 1 }).filter({ hasText: '⟦' }).waitFor();
  await page.waitForLoadState('networkidle');
}

/** A portal in languages that are made of the catalogue, and the ways to its pages. */
export class TranslatedPortal {
  languages: PseudoLanguages;
  portal: TestPortal;
  private fhirServer: SmallFhirServer;
  /** Texts that are the same in every language; a test adds its own. */
  readonly data = [...sameTexts];

  async start(): Promise<void> {
    this.languages = await makePseudoLanguages();
    this.fhirServer = await startSmallFhirServer();
    this.portal = await startPortal({
      config: {
        fhir: { baseUrl: this.fhirServer.url, testPatients: ['1'] },
        languages: this.languages.config,
        users: [...Object.values(people), carer, youth],
        locale: { timeZone: 'Europe/Amsterdam' },
        representation: {},
        clients: [publicApp, strict, silent, agreeing],
        disclaimers: [{ everyLogin: false, ...disclaimer }],
      },
    });
    await new SmartApp(this.portal, { scope }).tokens(people.patient);
    await this.addFamilies();
  }

  /** One patient is asked whether help is still right, the help of the other one ends soon. */
  private async addFamilies(): Promise<void> {
    const [{ id = '' } = {}] = await this.portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [
      carer.email,
    ]);
    const relationships = this.portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
    const help = { basis: 'voluntary', relation: 'helper', representativeName: carer.fullName };
    const days = (count: number) => new Date(Date.now() + count * 86_400_000);
    const [first, second] = [
      { patient: '1', patientName: 'Amelia Jane Ward', level: 'basics', decidedAt: days(-400) },
      { patient: '2', patientName: 'Noah Reed', withoutBirthDate: true, end: days(10).toISOString().slice(0, 10) },
    ];
    for (const one of [first, second]) await relationships.add(aNewRelationship(id, { ...help, ...one }));
    await this.addYouth(relationships, id);
  }

  /** A parent acts, and another one did until an age ended it. */
  private async addYouth(relationships: Relationships, carerId: string): Promise<void> {
    const facts = { birthDate: `${thisYear() - 14}-01-01`, isActive: true, firstName: 'Yara' };
    await this.portal.query(
      'INSERT INTO represented_patient (tenant, patient, facts, read_at) VALUES ($1, $2, $3, now())',
      ['', 'young', JSON.stringify(facts)],
    );
    const young = { patient: 'young', patientName: youth.fullName, representativeName: carer.fullName };
    await relationships.add(aNewRelationship(carerId, { ...young, level: 'basics' }));
    await relationships.add(
      aNewRelationship(carerId, { ...young, status: 'ended', reason: 'age', endedAt: new Date() }),
    );
  }

  async close(): Promise<void> {
    await this.portal.close();
    this.fhirServer.close();
    await this.languages.remove();
  }

  at =
    (path: string): Show =>
    async (page) => {
      await page.goto(this.portal.issuer + path);
      await settled(page, path.split('?')[0] ?? '');
    };

  as =
    (person: Person, show: Show): Show =>
    async (page) => {
      await signInByApi(page, this.portal.issuer, person);
      await show(page);
    };

  /** Goes to the page at which this app's request stops. */
  asked =
    (client: typeof publicApp, path: string, further: Record<string, string> = {}): Show =>
    async (page) => {
      const app = new SmartApp(this.portal, { client, scope, parameters: further });
      await page.goto(`${this.portal.issuer}/connect/authorize?${app.query()}`);
      await settled(page, path);
    };

  /** Presses these buttons there, and waits for what the last one opens. */
  pressed =
    (show: Show, brought: string, ...buttons: RegExp[]): Show =>
    async (page) => {
      await show(page);
      for (const name of buttons) await page.getByRole('button', { name }).first().click();
      await page.locator(brought).first().waitFor();
    };

  /**
   * Expects that these states of pages have no text of their own, and fit with texts that are longer. All are reached
   * on one page, which costs half of a new one; a state that fails hides none of the others.
   */
  async expectTranslated(browser: TestBrowser, states: Record<string, Show>): Promise<void> {
    const page = await browser.open({ locale: 'de-XA' });
    const failures: string[] = [];
    for (const [name, show] of Object.entries(states)) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await this.expectTranslatedState(page, show).catch((error: Error) => failures.push(`${name}: ${error.message}`));
    }
    if (failures.length > 0) throw new Error(failures.join('\n\n'));
  }

  private async expectTranslatedState(page: Page, show: Show): Promise<void> {
    await show(page);
    // The seals of an entry, if it is sealed by now.
    for (const seal of await page.locator('[title]').all()) {
      const hash = (await seal.getAttribute('title')) ?? '';
      if (/^[\w-]{43}$/.test(hash)) this.data.push(hash, await seal.innerText());
    }
    const { issuer } = this.portal;
    expect(
      await foreignTexts(page, [...this.data, issuer, this.fhirServer.url, '/.well-known/openid-configuration/jwks']),
    ).toEqual([]);
    expect(await page.getAttribute('html', 'lang')).toBe('de-XA');
    // A page that fits a phone fits a desktop.
    for (const width of isLong ? [1280, 360] : [360]) await expectNoSidewaysScroll(page, width);
  }
}
