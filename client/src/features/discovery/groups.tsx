import { RightOutlined } from '@ant-design/icons';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import cardStyles from '../../shared/ui/layout/card.module.css';
import styles from './discovery.module.css';
import { capabilityGroups, resourcePermissions, scopeGroups } from './discovery-document.js';
import { Chips } from './facts.js';

/** Part of a card that folds away; its title says how much is in it. */
export function Fold({
  title,
  count,
  open,
  children,
}: {
  title: ReactNode;
  count: number;
  open?: boolean;
  children: ReactNode;
}) {
  return (
    <details className={styles.fold} open={open}>
      <summary>
        {title}
        <span className={styles.count}>{count}</span>
        <RightOutlined className={styles.arrow} aria-hidden />
      </summary>
      <div className={styles.folded}>{children}</div>
    </details>
  );
}

export function ScopeFolds({ scopes }: { scopes: readonly string[] }) {
  const { t } = useTranslation();
  return scopeGroups(scopes).map(({ name, members }) => (
    <Fold
      key={name}
      title={name ? <code>{name}/</code> : t('discovery.generalScopes')}
      count={members.length}
      open={name === 'patient'}
    >
      <Scopes scopes={members} />
    </Fold>
  ));
}

function Scopes({ scopes }: { scopes: readonly string[] }) {
  const { t } = useTranslation();
  const permissions = resourcePermissions(scopes);
  if (!permissions) return <Chips values={scopes} />;
  return (
    <ul className={styles.resources}>
      {permissions.map((resource) => (
        <li key={resource.type}>
          <span>{resource.type === '*' ? t('discovery.allResourceTypes') : resource.type}</span>
          <span className={styles.permissions}>
            {resource.permissions.map((permission) => (
              <code key={permission}>{permission}</code>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

export function CapabilityFolds({ capabilities }: { capabilities: readonly string[] }) {
  return (
    <div className={cardStyles.card}>
      {capabilityGroups(capabilities).map(({ name, members }) => (
        <Fold key={name} title={<code>{name}</code>} count={members.length} open>
          <Chips values={members} />
        </Fold>
      ))}
    </div>
  );
}
