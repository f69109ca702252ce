import type { ReactNode } from 'react';

/** A row of the `dl` of a receipt. */
export function ReceiptFact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
