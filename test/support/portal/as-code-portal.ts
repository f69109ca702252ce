import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { stringify } from 'yaml';
import { type ApplyOptions, ConfigurationChanges } from '../../../src/as-code/application/configuration-changes.js';
import { ConfigurationExports } from '../../../src/as-code/application/configuration-exports.js';
import type { PlanOptions } from '../../../src/as-code/application/configuration-plans.js';
import { Releases } from '../../../src/as-code/application/releases.js';
import { planAsText } from '../../../src/as-code/domain/plan-text.js';
import { CliModule } from '../../../src/cli.module.js';
import { Secrets } from '../../../src/platform/crypto/secrets.js';
import { createDatabase } from '../database/database.js';
import { type AdminPortal, startAdminPortal } from './admin-portal.js';
import type { PortalOptions } from './portal.js';

/**
 * A portal, and the commands for a file that describes its clients, tags and users, as a process next to it runs them.
 */
export interface AsCodePortal extends AdminPortal {
  /** The folder of the files. */
  folder: string;
  exported(options?: { withUsers?: boolean; withRelationships?: boolean }): Promise<string>;
  /** The text of a plan; `content` is the text of the file, or its value. */
  plan(content: unknown, options?: Partial<PlanOptions>): Promise<string>;
  apply(content: unknown, options?: Partial<ApplyOptions>): Promise<string>;
  releases: Releases;
}

export async function startAsCodePortal({
  config = {},
  fhirServer = true,
}: PortalOptions & { fhirServer?: boolean } = {}): Promise<AsCodePortal> {
  const masterKey = randomBytes(32);
  const database = await createDatabase();
  const portal = await startAdminPortal({ config, fhirServer, filled: { database, masterKey } });
  const runtime = { config: portal.config, secrets: new Secrets(masterKey), connection: database.connection };
  const commands = await NestFactory.createApplicationContext(CliModule.forRuntime(runtime), { logger: false });
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-as-code-'));
  const changes = commands.get(ConfigurationChanges, { strict: false });
  let files = 0;
  const fileOf = async (content: unknown) => {
    files += 1;
    const file = join(folder, `portal-${files}.yaml`);
    await writeFile(file, typeof content === 'string' || Buffer.isBuffer(content) ? content : stringify(content));
    return file;
  };
  return {
    ...portal,
    folder,
    exported: ({ withUsers = false, ...more } = {}) =>
      commands.get(ConfigurationExports, { strict: false }).export({ withUsers, ...more }),
    plan: async (content, { adopt = false, ...more } = {}) =>
      planAsText(await changes.plan(await fileOf(content), { adopt, ...more })),
    apply: async (content, { adopt = false, allowDelete = false, plan, ...more } = {}) =>
      planAsText(await changes.apply(await fileOf(content), { adopt, allowDelete, plan, ...more })),
    releases: commands.get(Releases, { strict: false }),
    async close() {
      await commands.close();
      await portal.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
