import { rm } from 'node:fs/promises';

export default async function tearDown() {
  const { postgres, folder } = globalThis.gatehouseTestRun;
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}
