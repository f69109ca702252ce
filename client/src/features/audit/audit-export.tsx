import { CloseOutlined, DownloadOutlined } from '@ant-design/icons';
import { Button, Dropdown } from 'antd';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { countedEvents } from '../../../../src/contract/audit/type-groups.js';
import type { AuditFormat } from '../../../../src/contract/audit.js';
import type { AuditLimits } from '../../api/audit.js';
import { queryString } from '../../api/failures/call-rules.js';
import { portalPath } from '../../shared/addresses/base-path.js';
import { numeral } from '../../shared/i18n/language.js';
import { notify } from '../../shared/notices.js';
import styles from './audit.module.css';

const formats: AuditFormat[] = ['csv', 'ndjson'];
/** Parts are handed to the browser, which keeps them on its disk, in pieces of this size. */
const pieceBytes = 4_000_000;
const newline = 10;

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
      const count = await download(portalPath(`/api/admin/audit/export?${query}`), format, abort.signal, setDone);
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

/** Each line is an entry, apart from the head of a CSV file. Returns the number of entries. */
async function download(
  address: string,
  format: AuditFormat,
  signal: AbortSignal,
  onCount: (count: number) => void,
): Promise<number> {
  const answer = await fetch(address, { signal, credentials: 'same-origin' });
  if (!answer.ok || !answer.body) throw new Error(`status ${answer.status}`);
  const pieces: Blob[] = [];
  let waiting: Uint8Array<ArrayBuffer>[] = [];
  let [bytes, lines] = [0, format === 'csv' ? -1 : 0];
  const reader = answer.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    waiting.push(part.value);
    bytes += part.value.length;
    for (const byte of part.value) if (byte === newline) lines += 1;
    onCount(Math.max(0, lines));
    if (bytes < pieceBytes) continue;
    pieces.push(new Blob(waiting));
    [waiting, bytes] = [[], 0];
  }
  const file = new Blob([...pieces, ...waiting], { type: answer.headers.get('content-type') ?? '' });
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? `audit.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return Math.max(0, lines);
}
