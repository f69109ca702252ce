import type { Server } from 'node:http';
import { useBusyMachine } from '../../support/busy-machine.js';
import { raceTimeout } from '../../support/http/races.js';
import { isLong } from '../../support/runs.js';
import { waysOfAccess } from './ways/access.js';
import { waysOfTheCalendar } from './ways/calendar.js';
import { waysOfInvitations } from './ways/invitations.js';
import { waysOfRequests } from './ways/requests.js';
import { roundsOfWay, Scene } from './ways/scene.js';

let scene: Scene;
let failures: string[] = [];

useBusyMachine();
beforeAll(async () => {
  scene = await Scene.start();
  for (const server of scene.portal.servers) noteFailures(server);
});

beforeEach(() => {
  failures = [];
});

afterEach(() => {
  // A user who waits too long for a row is asked to repeat.
  expect(failures.filter((failure) => !failure.startsWith('503'))).toEqual([]);
});

afterAll(() => scene.close());

function noteFailures(server: Server): void {
  server.on('request', ({ method, url }, response) =>
    response.on('finish', () => {
      if (response.statusCode >= 500) failures.push(`${response.statusCode} ${method} ${url}`);
    }),
  );
}

const ways = [...waysOfAccess, ...waysOfInvitations, ...waysOfRequests, ...waysOfTheCalendar];

describe('At the same time on two nodes', () => {
  it.each(ways)(
    '$acts: $holds',
    async ({ acts, round }) => {
      for (let number = 0; number < roundsOfWay; number += 1) {
        if (number % 10 === 0) await scene.keepSignedIn();
        await round(scene, number);
      }
      if (isLong) process.stderr.write(`${acts}: ${roundsOfWay} rounds, 5xx: ${JSON.stringify(failures)}\n`);
    },
    raceTimeout,
  );
});
