import { RightOutlined } from '@ant-design/icons';
import type { ReactNode } from 'react';
import styles from './facts.module.css';

/** A part of what is known of something, in a sheet. */
export function FactSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** The same, to be unfolded. */
export function FoldedFacts({ title, open, children }: { title: string; open: boolean; children: ReactNode }) {
  return (
    <details className={styles.folded} open={open}>
      <summary>
        <h2>{title}</h2>
        <RightOutlined className={styles.arrow} aria-hidden />
      </summary>
      {children}
    </details>
  );
}

export function Facts({ children }: { children: ReactNode }) {
  return <dl className={styles.facts}>{children}</dl>;
}

export function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
