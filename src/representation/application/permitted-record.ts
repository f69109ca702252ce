import { CompiledLevel } from '../domain/compiled-level.js';
import type { LevelRule } from '../domain/level.js';
import { isAbove } from '../domain/level-order.js';
import { PermittedRecord } from '../domain/permitted-record.js';

export { isAbove, type LevelRule, PermittedRecord };

/** True if all levels permit to see, or to change, some resource of the type. */
export function levelPermitsType(levels: readonly LevelRule[], type: string, interaction: 'see' | 'change'): boolean {
  return levels
    .map((level) => CompiledLevel.from(level))
    .every((level) => (interaction === 'see' ? level.permitsType(type) : level.permitsChangeOf(type)));
}
