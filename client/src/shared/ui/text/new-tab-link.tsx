import { ExportOutlined } from '@ant-design/icons';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

/**
 * A link to another site. What is not a web address (a script, a mail) is shown as text: these come from configuration.
 */
export function NewTabLink({ href, className, children }: { href: string; className?: string; children: ReactNode }) {
  const { t } = useTranslation();
  if (!/^https?:\/\//i.test(href)) return <span className={className}>{children}</span>;
  return (
    <a className={`target ${className ?? ''}`} href={href} target="_blank" rel="noopener noreferrer">
      {children} <ExportOutlined aria-hidden />
      <span className="visually-hidden"> {t('common.opensInNewTab')}</span>
    </a>
  );
}
