import { CopyOutlined } from '@ant-design/icons';
import { Button, Segmented } from 'antd';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { copy } from '../../shared/copy.js';
import { useSlow } from '../../shared/loading/use-slow.js';
import cardStyles from '../../shared/ui/layout/card.module.css';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { Section } from '../../shared/ui/layout/section.js';
import { Skeleton } from '../../shared/ui/placeholders/skeleton.js';
import styles from './discovery.module.css';
import type { DiscoveryDocument } from './discovery-document.js';

/** A page about one discovery document: made readable, or as it is. */
export function Configuration<Document extends object>({
  title,
  lead,
  document,
  failed,
  children,
}: {
  title: string;
  lead: ReactNode;
  /** Undefined while it is on its way, and when it could not be had. */
  document: Document | undefined;
  /** Shown when the document could not be loaded; null while that is not known. */
  failed: ReactNode;
  children: (document: DiscoveryDocument) => ReactNode;
}) {
  const { t } = useTranslation();
  const [view, setView] = useState<'processed' | 'raw'>('processed');
  return (
    <div data-width="wide">
      <div className={styles.head}>
        <div>
          <PageTitle>{title}</PageTitle>
          <p className={styles.lead}>{lead}</p>
        </div>
        {/* Also before the document is loaded: Tab must not pass a control that appears later. */}
        {(document || !failed) && (
          <Segmented
            aria-label={t('discovery.view')}
            // Its radio buttons are reached by themselves.
            tabIndex={-1}
            options={[
              { value: 'processed', label: t('discovery.processed') },
              { value: 'raw', label: t('discovery.raw') },
            ]}
            value={view}
            onChange={setView}
          />
        )}
      </div>
      {document && (view === 'raw' ? <Raw document={document} /> : children(document as DiscoveryDocument))}
      {!document && (failed ?? <Skeletons />)}
    </div>
  );
}

function Raw({ document }: { document: object }) {
  const { t } = useTranslation();
  const text = JSON.stringify(document, null, 2);
  return (
    <div className={`${cardStyles.card} ${styles.raw}`}>
      <Button icon={<CopyOutlined aria-hidden />} onClick={() => copy(text)}>
        {t('discovery.copyRaw')}
      </Button>
      <pre>{text}</pre>
    </div>
  );
}

function Skeletons() {
  const { t } = useTranslation();
  if (!useSlow(true)) return null;
  const section = (title: string, rows: number) => (
    <Section title={title} wide>
      <div className={cardStyles.card}>
        {Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: bars are known by their place alone
          <div key={row} className={styles.row}>
            <Skeleton width={120} />
            <Skeleton width={320} />
          </div>
        ))}
      </div>
    </Section>
  );
  return (
    <div role="status" aria-label={t('common.loading')}>
      {section(t('discovery.identity'), 2)}
      {section(t('discovery.endpoints'), 4)}
    </div>
  );
}
