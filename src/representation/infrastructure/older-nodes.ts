import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.js';
import { nodesByRelease } from '../../platform/database/notifications.js';
import { releasesWithout } from '../../platform/database/releases.js';

/** The first migration of a release that knows relationships. */
export const firstMigration = 'Representation1763700000121';

/**
 * A node of a release without relationships would give an app of a representative full access. The start is refused
 * while such a node is connected and this one has representation on; from the first relationship on, a row of
 * `contraction` refuses the start of such nodes.
 */
@Injectable()
export class OlderNodes implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    if (!this.config.representation) return;
    const older = releasesWithout(firstMigration);
    const connected = (await nodesByRelease(this.database)).map(({ version }) => version);
    const found = connected.filter((version) => older.includes(version));
    if (found.length > 0) {
      throw new Error(
        `representation cannot be switched on while nodes of release ${found.join(', ')} are connected: they do not ` +
          'know relationships. Upgrade all nodes first, then add the section to the configuration',
      );
    }
  }
}
