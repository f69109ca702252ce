import pg from 'pg';
import { reportAsText } from '../../src/readiness/application/readiness-text.js';
import { diary, useReadinessPortal } from '../support/readiness/readiness-portal.js';

const readiness = useReadinessPortal();
const { afterThisTest, answers, change, checkOf, clientSettings, report, secondFactor, set } = readiness;

describe('A check of the readiness report', () => {
  it('that passes says nothing of what to do, and any other one says why it matters', async () => {
    for (const { checks } of (await report()).sections) {
      for (const { code, state, why, advice } of checks) {
        expect([code, why.text.length > 20, advice === null]).toEqual([code, true, state === 'pass']);
      }
    }
  });

  it('that fails or takes too long is unknown, and the others have their results', async () => {
    const locking = new pg.Client(readiness.portal.connection);
    await locking.connect();
    try {
      await locking.query('BEGIN; LOCK TABLE two_factor IN ACCESS EXCLUSIVE MODE');
      await change('ALTER TABLE signing_key RENAME TO hidden_key', 'ALTER TABLE hidden_key RENAME TO signing_key');
      const given = await report();
      const [late, failed, other] = await Promise.all(
        (['second-admin', 'signing-keys', 'client-secrets'] as const).map((code) => checkOf(code, given)),
      );
      expect([late?.state, late?.finding.text]).toEqual(['unknown', expect.stringMatching('could not be checked')]);
      expect([failed?.state, failed?.finding.code]).toEqual(['unknown', 'readiness-failed']);
      expect(other?.state).toBe('pass');
    } finally {
      await locking.end();
    }
  });

  it('shows the address of a FHIR server without the password in it', async () => {
    answers.search = 404;
    set('fhir', { baseUrl: readiness.upstream.url.replace('://', '://portal:hidden@') });
    const text = JSON.stringify(await report());
    expect(text).toContain(`${readiness.upstream.url}: a request without credentials`);
    expect(text).not.toContain('hidden');
  });

  it('shows hostile names harmlessly, and cuts them', async () => {
    const name = `Heart\u0007\u202e\n<b>Diary</b> ${'x'.repeat(200)}`;
    await readiness.portal.query('UPDATE client SET client_name = $1 WHERE client_id = $2', [name, diary.clientId]);
    afterThisTest(`UPDATE client SET client_name = 'Heart Diary' WHERE client_id = '${diary.clientId}'`);
    await clientSettings(diary.clientId, { allowedResourceTypes: [] }, { allowedResourceTypes: ['Observation'] });
    const { finding } = await checkOf('client-wildcards');
    expect(finding.text).toMatch(/^Heart <b>Diary<\/b> x{41}… may get scopes for all resource types \(\*\)\.$/);
  });
});

describe('The readiness report', () => {
  it('counts the checks by state, and is ready exactly when nothing blocks', async () => {
    const blocked = await report();
    const states = blocked.sections.flatMap(({ checks }) => checks.map(({ state }) => state));
    for (const [state, count] of Object.entries(blocked.counts)) {
      expect([state, states.filter((one) => one === state).length]).toEqual([state, count]);
    }
    expect([blocked.ready, blocked.counts.blocking, blocked.checkedBy]).toEqual([false, 2, null]);
    await secondFactor();
    expect((await report()).counts.blocking).toBe(1);
  });

  it('is one line for each check that passes, and says of the others what to do, as text', async () => {
    const text = reportAsText(await report()).split('\n');
    expect(text[0]).toMatch(/^Gatehouse \d\S+, http:\/\/localhost:\d+$/);
    expect(text).toContain('pass        Reverse proxies: No proxy is configured, and none is needed.');
    const at = text.indexOf('TO IMPROVE  Verification of the audit record: The seals were never verified.');
    expect(text.slice(at, at + 4)).toEqual([
      'TO IMPROVE  Verification of the audit record: The seals were never verified.',
      '            A seal proves something only if it is verified.',
      '            Verify them with the command, at least every 90 days.',
      '            Command: npx gatehouse audit verify',
    ]);
    expect(text.at(-1)).toBe('Not ready to go live: solve what blocks, and check again.');
  });
});
