import type { AuditEventView } from '../../../../src/contract/audit.js';
import type { LevelView } from '../../../../src/contract/representation/levels.js';
import { levelName } from '../../shared/levels/level-texts.js';

/** Beginnings of the types of events whose `level` is that of a relationship. */
const aboutLevels = ['representation.', 'request.'];

/** The level that an event gave, and the one before it, in words; undefined for an event about none. */
export function levelsOf(
  { type, detail }: Pick<AuditEventView, 'type' | 'detail'>,
  levels: readonly Pick<LevelView, 'id' | 'label'>[],
): { level: string; from?: string } | undefined {
  const { level, from } = detail;
  if (!aboutLevels.some((prefix) => type.startsWith(prefix)) || typeof level !== 'string') return undefined;
  const isChanged = typeof from === 'string' && from !== level;
  return { level: levelName(levels, level), ...(isChanged && { from: levelName(levels, from) }) };
}
