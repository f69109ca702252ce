/** The forms about acting for others keep what was typed when their page is left. */
import type { Page } from 'playwright-core';
import { Relationships } from '../../../src/representation/domain/relationships.js';
import { useBrowser } from '../../support/browser/browser.js';
import { expectDialog, expectPage, expectText, signInByApi } from '../../support/browser/pages.js';
import { type RequestPortal, startRequestPortal } from '../../support/representation/asked.js';
import { family, makeRepresentative } from '../../support/representation/family-portal.js';
import { aNewRelationship } from '../../support/representation/relationship.js';
import type { Person } from '../../support/users/people.js';

const browser = useBrowser();
let portal: RequestPortal;
let request: string;
const rosa = {
  ...family.ana,
  email: 'rosa@example.org',
  fullName: 'Rosa Lind',
  claims: [{ name: 'fhirUser', value: 'Patient/rosa' }],
};

beforeAll(async () => {
  portal = await startRequestPortal({ config: { users: [...Object.values(family), rosa] } });
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  const anaId = await portal.accountId(family.ana);
  await relationships.add(aNewRelationship(anaId, { patient: 'leo', patientName: 'Leo' }));
  portal.has('nia');
  await relationships.add(
    aNewRelationship(await portal.accountId(rosa), {
      ...{ patient: 'nia', patientName: 'Nia Duarte', status: 'suspended', reason: 'deleted' },
    }),
  );
  await makeRepresentative(portal, rosa);
  const ana = await portal.as(family.ana);
  const form = { basis: 'parental-responsibility', birthDate: '2020-05-10', isTrue: true, files: [] };
  const asked = await ana.post('/api/requests', { ...form, patientName: 'Mia Duarte' });
  request = asked.json<{ id: string }>().id;
});

afterEach(() => browser.closePages());

afterAll(() => portal.close());

interface FormCase {
  name: string;
  person: Person;
  /** Opens the form and types. */
  begin: (page: Page) => Promise<void>;
  save: (page: Page) => Promise<void>;
  call: string;
  /** Reads what was typed. */
  typed: (page: Page) => Promise<unknown[]>;
  expected: unknown[];
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).last().click();
const values = (page: Page, ...labels: string[]) =>
  Promise.all(labels.map((label) => page.getByLabel(label).inputValue()));

const forms: FormCase[] = [
  {
    name: 'an invitation',
    person: family.noah,
    begin: async (page) => {
      await page.goto(`${portal.issuer}/user/family/invite`);
      await page.getByLabel('Their name').fill('Tomás Reed');
      await page.getByLabel('Their email').fill('tomas@example.org');
      await page.getByLabel('Who are they to you?').selectOption('Son');
      await page.getByRole('radio', { name: 'Limited: daily care' }).check();
      await page.getByText('No end', { exact: true }).click();
    },
    save: (page) => press(page, 'Send invitation'),
    call: '**/api/representation/invitations',
    typed: async (page) => [
      ...(await values(page, 'Their name', 'Their email', 'Who are they to you?')),
      await page.getByRole('radio', { name: 'Limited: daily care' }).isChecked(),
      await page.getByRole('radio', { name: 'No end' }).isChecked(),
    ],
    expected: ['Tomás Reed', 'tomas@example.org', 'voluntary son', true, true],
  },
  {
    name: 'a request for another level',
    person: family.ana,
    begin: async (page) => {
      await page.goto(`${portal.issuer}/user/family`);
      await press(page, /^Ask to change what you may see/);
      await page.getByLabel(/^What should change for/).fill('The letters, please');
    },
    save: (page) => press(page, 'Send request'),
    call: '**/api/requests/change',
    typed: async (page) => [await page.getByLabel(/^What should change for/).inputValue()],
    expected: ['The letters, please'],
  },
  {
    name: 'a decision',
    person: family.admin,
    begin: async (page) => {
      await page.goto(`${portal.issuer}/admin/requests?request=${request}`);
      await page.getByLabel('Basis').selectOption('Parental responsibility');
      await page.getByLabel('Reason').fill('The certificate is of another child');
    },
    save: async (page) => {
      await press(page, 'Decline');
      await (await expectDialog(page, 'Decline this request?')).getByRole('button', { name: 'Decline' }).click();
    },
    call: '**/api/admin/requests/*/decision',
    typed: (page) => values(page, 'Basis', 'Reason'),
    expected: ['parental-responsibility', 'The certificate is of another child'],
  },
  {
    name: 'a proposal',
    person: family.admin,
    begin: async (page) => {
      await page.goto(`${portal.issuer}/admin/user-management`);
      await page.getByRole('button', { name: 'Ana Duarte', exact: true }).click();
      await press(page, 'Add a patient');
      await page.getByLabel('FHIR id of the patient').fill('mia');
      await page.getByLabel('Relation', { exact: true }).selectOption('mother');
    },
    save: (page) => press(page, 'Propose'),
    call: '**/api/admin/representation',
    typed: (page) => values(page, 'FHIR id of the patient', 'Relation'),
    expected: ['mia', 'mother'],
  },
  {
    name: 'an end of a relationship',
    person: family.admin,
    begin: async (page) => {
      await page.goto(`${portal.issuer}/admin/user-management`);
      await page.getByRole('button', { name: 'Ana Duarte', exact: true }).click();
      await press(page, /^End/);
      await page.getByRole('radio', { name: /has to be protected/ }).check();
      await page.getByLabel('Reason, for administrators only').fill('A court has forbidden it');
    },
    save: (page) => press(page, /^End/),
    call: '**/api/admin/representation/*/end',
    typed: async (page) => [
      await page.getByRole('radio', { name: /has to be protected/ }).isChecked(),
      ...(await values(page, 'Reason, for administrators only')),
    ],
    expected: [true, 'A court has forbidden it'],
  },
  {
    name: 'the link of a record',
    person: family.admin,
    begin: async (page) => {
      await page.goto(`${portal.issuer}/admin/user-management`);
      await page.getByRole('button', { name: rosa.fullName, exact: true }).click();
      await press(page, 'Link a patient record');
      await page.getByLabel('FHIR id of the patient').fill('rosa');
      await page.getByLabel('Reason, for administrators only').fill('She is a patient since May');
    },
    save: (page) => press(page, 'Link a patient record'),
    call: '**/api/admin/representation/account/*/record',
    typed: (page) => values(page, 'FHIR id of the patient', 'Reason, for administrators only'),
    expected: ['rosa', 'She is a patient since May'],
  },
  {
    name: 'the answer about records that are back',
    person: family.admin,
    begin: async (page) => {
      await page.goto(`${portal.issuer}/admin/requests?show=records`);
      await page.getByRole('checkbox', { name: /Nia Duarte/ }).check();
      await page.getByLabel('Reason').fill('The server was restored');
    },
    save: (page) => press(page, 'Confirm 1'),
    call: '**/api/admin/representation/confirmations',
    typed: (page) => values(page, 'Reason'),
    expected: ['The server was restored'],
  },
];

describe.each(forms)('the form of $name', ({ person, begin, save, call, typed, expected }) => {
  it('brings back what was typed before a failed save, and discards it by a button', async () => {
    browser.expectAnyFailure(500);
    const page = await browser.open();
    await signInByApi(page, portal.issuer, person);
    await begin(page);
    await page.route(call, (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 500, json: {} }) : route.fallback(),
    );
    await save(page);
    await expectPage(page, '/error/500', 'Server error');
    await page.unroute(call);
    await press(page, 'Back to what you entered');
    await expectText(page, 'What you entered is back. It is not saved yet.');
    expect(await typed(page)).toEqual(expected);
    await press(page, 'Discard it');
    expect(await typed(page)).not.toEqual(expected);
    expect(await page.evaluate<string>('JSON.stringify(sessionStorage)')).not.toContain('gatehouse.drafts');
  });
});
