import type { Page } from 'playwright-core';
import { SmartApp } from '../../support/apps/smart-app.js';
import { expectPage, expectText, follow } from '../../support/browser/pages.js';
import { backendService, publicApp } from '../../support/clients/clients.js';
import { Agent } from '../../support/http/agent.js';
import type { TestPortal } from '../../support/portal/portal.js';
import { login } from '../../support/users/authenticator.js';
import { type Person, people } from '../../support/users/people.js';

const { admin, patient, practitioner } = people;
export const chooser = { ...publicApp, clientId: 'chooser', clientName: 'Ward Board', requireConsent: false };
export const paused = { ...publicApp, clientId: 'paused-app', clientName: 'Paused App' };
export const careful = { ...chooser, clientId: 'careful', clientName: 'Careful' };
export const rotating = { ...backendService, clientId: 'rotating', clientName: 'Rotating' };
export const keyed = { ...patient, email: 'keyed@example.org', fullName: 'Kara Keyed' };
export const secured = { ...practitioner, email: 'secured@example.org', fullName: 'Sara Secured' };

export const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).last().click();

/** An action of a user that calls the server, and the page on which it begins. */
export interface Action {
  name: string;
  person: Person;
  begin: (page: Page) => Promise<unknown>;
  act: (page: Page) => Promise<void>;
  /** The call that the action makes. */
  call: string;
  /** True if it needs a page of its own, because it is offered to a session that other actions do not have. */
  alone?: true;
}

/** The pages of the portal of the tests on which actions begin. */
export class ActionPages {
  constructor(private readonly current: () => TestPortal) {}

  get portal(): TestPortal {
    return this.current();
  }

  at(path: string, heading: string, query = '') {
    return async (page: Page) => {
      const address = this.portal.issuer + path + query;
      // The error page continues without a new document, which costs a third.
      if (page.url().endsWith('/error/500')) await follow(page, address);
      else await page.goto(address);
      await expectPage(page, path, heading);
    };
  }

  launched(client: typeof publicApp, scope: string) {
    return (page: Page) => {
      const app = new SmartApp(this.portal, { client, scope, parameters: { prompt: 'consent' } });
      return page.goto(`${this.portal.issuer}/connect/authorize?${app.query()}`);
    };
  }

  settingsOf(person: Person) {
    return async (page: Page) => {
      const elsewhere = new Agent(this.portal.issuer);
      await login(elsewhere, person);
      await this.at(`/${person === admin ? 'admin' : 'user'}/account-settings`, 'Account settings')(page);
      await expectText(page, 'Unknown browser');
    };
  }

  /** A row of a list, and the dialog of one of its buttons. */
  opened(path: string, heading: string, row: string | RegExp, button: string | RegExp, query = '') {
    return async (page: Page) => {
      await this.at(path, heading, query)(page);
      await press(page, row);
      await press(page, button);
      // Its button may have the name of one behind it, which is the last one until then.
      await page.locator('[role=dialog]').nth(1).waitFor();
    };
  }
}
