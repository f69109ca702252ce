import { type AuditType, auditTypes } from '../../contract/audit/audit-types.js';

interface LabelledCount {
  labels: { type: string; outcome: string };
  value: number;
}

const outcomes = ['success', 'failure'] as const;

/** Numbers of audit events by their type and outcome. */
export class AuditCounts {
  /** Complete from the start: Prometheus does not see an increase in a series that begins with 1. */
  private readonly counts = new Map<string, LabelledCount>(
    auditTypes.flatMap((type) =>
      outcomes.map((outcome) => [`${type} ${outcome}`, { labels: { type, outcome }, value: 0 }] as const),
    ),
  );

  add(events: readonly { type: AuditType; outcome: (typeof outcomes)[number] }[]): void {
    for (const { type, outcome } of events) {
      const count = this.counts.get(`${type} ${outcome}`);
      if (count) count.value += 1;
    }
  }

  all(): LabelledCount[] {
    return [...this.counts.values()];
  }
}
