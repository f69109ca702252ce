import { flowAppOf } from '../../../src/oidc/domain/flow-app.js';
import { patientOfTrial, trialPagePath } from '../../../src/oidc/domain/trial.js';

type Request = Parameters<typeof flowAppOf>[0];

const request = (change: Partial<Request> = {}): Request => ({
  client: { clientName: 'App', settings: { redirectUris: ['https://app.example:8443/back'] } } as Request['client'],
  redirectUri: 'https://app.example:8443/back',
  ...change,
});

describe('The app on its pages', () => {
  it('has its name and the host to which the user returns', () => {
    expect(flowAppOf(request())).toEqual({ clientName: 'App', returnHost: 'app.example:8443' });
  });

  it('is not named with a redirect URI that is not registered, except in a trial', () => {
    const redirectUri = 'https://portal.example/admin/try-launch';
    expect(flowAppOf(request({ redirectUri }))).toBe(undefined);
    expect(flowAppOf(request({ redirectUri, isTrial: false }))).toBe(undefined);
    expect(flowAppOf(request({ redirectUri, isTrial: true }))).toEqual({
      clientName: 'App',
      returnHost: 'portal.example',
    });
  });
});

describe('A trial of a launch', () => {
  const trial = { id: 't1', accountId: 'a1', sessionUid: 's1' };

  it('returns to its page', () => {
    expect(trialPagePath).toBe('/admin/try-launch');
  });

  it('has its test patient in place of the one that a user chooses', () => {
    expect(patientOfTrial({ ...trial, patient: 'p1' })).toEqual([{ type: 'Patient', id: 'p1' }]);
    expect(patientOfTrial(trial)).toEqual([]);
  });
});
