import { mock } from 'node:test';
import type { PresenceReport, PresenceView } from '../../../src/contract/presence.js';
import { OpenReports } from './open-reports.js';

type Answer = { data?: PresenceView; error?: unknown };

const view: PresenceView = { others: [], ownTabs: null };
const page = { visibilityState: 'visible' };
const globals = globalThis as { document?: unknown };
let before: unknown;
let sent: PresenceReport['state'][];
let editing: boolean;
let views: number;
/** Answers the call that is under way. */
let answer: (answer: Answer) => Promise<void>;
let reports: OpenReports;

beforeEach(() => {
  mock.timers.enable({ apis: ['setTimeout'] });
  before = globals.document;
  globals.document = page;
  page.visibilityState = 'visible';
  sent = [];
  views = 0;
  editing = false;
  const call = (state: PresenceReport['state']) =>
    new Promise<Answer>((resolve) => {
      sent.push(state);
      answer = async (given) => {
        resolve(given);
        for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      };
    });
  reports = new OpenReports(
    call,
    () => editing,
    () => {
      views += 1;
    },
  );
});

afterEach(() => {
  reports.end();
  mock.timers.reset();
  globals.document = before;
});

const later = (ms: number) => mock.timers.tick(ms);
const begin = async () => {
  later(700);
  await answer({ data: view });
};

describe('The reports of an opened record', () => {
  it('are not sent for a record that is only passed by', () => {
    later(699);
    reports.reportChange();
    reports.end();
    later(100_000);
    expect(sent).toEqual([]);
  });

  it.each([
    ['visible', 10_000],
    ['hidden', 30_000],
  ])('are repeated while the page is %s, after a pause of %i ms', async (visibilityState, pause) => {
    page.visibilityState = visibilityState;
    await begin();
    later(pause - 1);
    expect(sent).toEqual(['viewing']);
    later(1);
    expect(sent).toEqual(['viewing', 'viewing']);
    expect(views).toBe(1);
  });

  it('come at once when the form is opened, but only one at a time', async () => {
    later(700);
    editing = true;
    reports.reportChange();
    reports.reportChange();
    expect(sent).toEqual(['viewing']);
    await answer({ data: view });
    expect(sent).toEqual(['viewing', 'editing']);
    await answer({ data: view });
    expect(sent).toHaveLength(2);
  });

  it('say that changes were saved until that has arrived, then what is done', async () => {
    await begin();
    reports.saved();
    await answer({ error: { status: 503 } });
    later(10_000);
    await answer({ data: view });
    later(10_000);
    expect(sent).toEqual(['viewing', 'saved', 'saved', 'viewing']);
  });

  it.each([400, 403, 404])('end without a message when one is refused with %i', async (status) => {
    later(700);
    await answer({ error: { status } });
    later(100_000);
    reports.reportChange();
    reports.end();
    expect(sent).toEqual(['viewing']);
  });

  it.each(['FETCH_ERROR', 401, 429, 500, 503])('continue after a failure: %s', async (status) => {
    later(700);
    await answer({ error: { status } });
    later(10_000);
    expect(sent).toEqual(['viewing', 'viewing']);
    expect(views).toBe(0);
  });

  it('end with one that says so, also while another is under way, and show nothing after that', async () => {
    later(700);
    const first = answer;
    reports.end();
    reports.end();
    reports.reportChange();
    await first({ data: view });
    later(100_000);
    expect(sent).toEqual(['viewing', 'left']);
    expect(views).toBe(0);
  });
});
