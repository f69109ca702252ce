import type { Page } from 'playwright-core';
import type { OwnRequest } from '../../../src/contract/requests.js';
import { Relationships } from '../../../src/representation/domain/relationships.js';
import { expectDialog, expectPage } from '../../support/browser/pages.js';
import { publicApp } from '../../support/clients/clients.js';
import type { TestPortal } from '../../support/portal/portal.js';
import { thisYear } from '../../support/representation/birthdays.js';
import { aNewRelationship } from '../../support/representation/relationship.js';
import { type Person, people } from '../../support/users/people.js';
import { type Action, type ActionPages, press } from './action-pages.js';

const { admin, patient } = people;

/** Acts for Amelia, who is asked whether this is still right. */
export const helper: Person = {
  ...patient,
  email: 'hana.helper@example.org',
  fullName: 'Hana Helper',
  claims: [{ name: 'fhirUser', value: 'Patient/3' }],
};

/** Has a parent, of whom the page of news tells. */
export const youth: Person = {
  ...patient,
  email: 'yara.youth@example.org',
  fullName: 'Yara Youth',
  claims: [{ name: 'fhirUser', value: 'Patient/young' }],
};

export async function addHelper(portal: TestPortal): Promise<void> {
  const idOf = async ({ email }: Person) =>
    (await portal.query<{ id: string }>('SELECT id FROM account WHERE email = $1', [email]))[0]?.id ?? '';
  const id = await idOf(helper);
  const relationships = portal.apps[0]?.get(Relationships, { strict: false }) as Relationships;
  await relationships.add(
    aNewRelationship(id, {
      ...{ basis: 'voluntary', relation: 'helper', representativeName: helper.fullName },
      ...{ patient: '1', patientName: 'Amelia Ward', decidedAt: new Date(Date.now() - 400 * 86_400_000) },
    }),
  );
  const facts = { birthDate: `${thisYear() - 14}-01-01`, isActive: true, firstName: 'Yara' };
  await portal.query(
    "INSERT INTO represented_patient (tenant, patient, facts, read_at) VALUES ('', 'young', $1, now())",
    [JSON.stringify(facts)],
  );
  const parent = await idOf(people.otherPatient);
  await relationships.add(aNewRelationship(parent, { patient: 'young', patientName: youth.fullName }));
}

/** The actions of patients and of those who act for them. */
export function familyActions(pages: ActionPages): Action[] {
  const family = pages.at('/user/family', 'Family and carers');
  const atRequest = async (page: Page) => {
    const form = { basis: 'parental-responsibility', birthDate: '2020-05-10', isTrue: true, files: [] };
    const data = { ...form, patientName: 'Leo Duarte' };
    const answer = await page.request.post(`${pages.portal.issuer}/api/requests`, { data });
    const { id } = (await answer.json()) as OwnRequest;
    await pages.at(`/user/family/requests/${id}`, 'We are checking your request')(page);
  };
  return [
    {
      name: 'to say that help is still right',
      person: patient,
      begin: family,
      act: (page) => press(page, 'Yes, this is still right'),
      call: '**/api/representation/*/confirmation',
    },
    {
      name: 'to continue from what a patient is told',
      person: youth,
      begin: pages.at('/user/family-news', 'Yara, someone looks after your record with you'),
      act: (page) => press(page, 'Continue'),
      call: '**/api/representation/news',
    },
    {
      name: 'to end help',
      person: helper,
      begin: async (page) => {
        await family(page);
        await press(page, /^End the help/);
        await expectDialog(page, 'End this with Amelia Ward?');
      },
      act: (page) => press(page, 'End'),
      call: '**/api/representation/*/end',
    },
    {
      name: 'to take a request to the hospital back',
      person: patient,
      begin: async (page) => {
        await atRequest(page);
        await press(page, 'Take back the request');
        await expectDialog(page, 'Take back this request?');
      },
      act: (page) => press(page, 'Take back the request'),
      call: '**/api/requests/*',
    },
    {
      name: 'to say for whom an app is',
      person: helper,
      begin: async (page) => {
        await pages.launched(publicApp, 'openid launch/patient patient/Observation.rs')(page);
        await expectPage(page, '/user/launch-context', 'Who is this for?');
        await page.getByRole('radio').first().check();
      },
      act: (page) => press(page, 'Continue'),
      call: '**/api/launch-context?*',
    },
    {
      name: 'to try the age rules',
      person: admin,
      begin: pages.at('/admin/age-rules', 'Age rules'),
      act: (page) => page.locator('input[type=date]').first().fill('2012-05-03'),
      call: '**/age-rules/trial?*',
    },
  ];
}
