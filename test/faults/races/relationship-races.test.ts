import { useBusyMachine } from '../../support/busy-machine.js';
import { raceTimeout } from '../../support/http/races.js';
import { waysOfAccess } from './ways/access.js';
import { waysOfTheCalendar } from './ways/calendar.js';
import { waysOfInvitations } from './ways/invitations.js';
import { waysOfRequests } from './ways/requests.js';
import { roundsOfWay, Scene } from './ways/scene.js';

let scene: Scene;

useBusyMachine();
beforeAll(async () => {
  scene = await Scene.start();
});

afterAll(() => scene.close());

const ways = [...waysOfAccess, ...waysOfInvitations, ...waysOfRequests, ...waysOfTheCalendar];

describe('At the same time on two nodes', () => {
  it.each(ways)(
    '$acts: $holds',
    async ({ round }) => {
      for (let number = 0; number < roundsOfWay; number += 1) {
        if (number % 10 === 0) await scene.keepSignedIn();
        await round(scene, number);
      }
    },
    raceTimeout,
  );
});
