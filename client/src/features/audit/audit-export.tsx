import { CloseOutlined, DownloadOutlined } from '@ant-design/icons';
import { Button, Dropdown } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { countedEvents } from '../../../../src/contract/audit/type-groups.js';
import type { AuditFormat } from '../../../../src/contract/audit.js';
import type { AuditLimits } from '../../api/audit.js';
import { queryString } from '../../api/failures/call-rules.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { downloadLines } from '../../shared/browser/download.js';
import { numeral } from '../../shared/i18n/language.js';
import { notify } from '../../shared/notices.js';
import styles from './audit.module.css';

const formats: AuditFormat[] = ['csv', 'ndjson'];

/** Downloads what the filter finds, and shows how far it is. */
export function AuditExport({ limits, total }: { limits: AuditLimits; total: number | null }) {
  const { t } = useTranslation();
  const [done, setDone] = useState<number | null>(null);
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  const begin = async (format: AuditFormat) => {
    const abort = new AbortController();
    running.current = abort;
    setDone(0);
    try {
      const query = queryString({ ...limits, format });
      const request = new Request(portalPath(`/api/admin/audit/export?${query}`), { signal: abort.signal });
      const headLines = format === 'csv' ? 1 : 0;
      const count = await downloadLines(request, { headLines, name: `audit.${format}`, onCount: setDone });
      notify('success', t('audit.exported', { count }));
    } catch {
      if (!abort.signal.aborted) notify('error', t('audit.exportFailed'));
    } finally {
      setDone(null);
    }
  };

  if (done !== null) {
    const isKnown = total !== null && total < countedEvents;
    const numbers = { number: numeral(done), total: numeral(total ?? 0) };
    return (
      <span className={styles.exporting}>
        <span role="status">{t(isKnown ? 'audit.exportingOf' : 'audit.exporting', numbers)}</span>
        <Button
          icon={<CloseOutlined aria-hidden />}
          aria-label={t('audit.cancelExport')}
          onClick={() => running.current?.abort()}
        />
      </span>
    );
  }
  const items = formats.map((key) => ({ key, label: t(`audit.exportAs.${key}`) }));
  return (
    <Dropdown menu={{ items, onClick: ({ key }) => void begin(key as AuditFormat) }} trigger={['click']} autoFocus>
      <Button icon={<DownloadOutlined aria-hidden />} aria-haspopup="menu">
        {t('audit.export')}
      </Button>
    </Dropdown>
  );
}
