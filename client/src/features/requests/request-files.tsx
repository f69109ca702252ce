import { FileTextOutlined } from '@ant-design/icons';
import { Button, Checkbox } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { RequestReview } from '../../../../src/contract/requests.js';
import { fileAddress } from '../../api/requests.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import { fileSize } from '../../shared/i18n/sizes.js';
import styles from './requests.module.css';

/** The files of a request: each is opened, and ticked when it was seen. */
export function RequestFiles({
  request: { id, files, isOwnCase },
  seen,
  onSeen,
}: {
  request: RequestReview;
  seen: readonly string[];
  onSeen: (seen: string[]) => void;
}) {
  const { t } = useTranslation();
  const [opened, setOpened] = useState<string[]>([]);
  return (
    <section className={styles.section}>
      <h2>{t('requests.evidence')}</h2>
      <p>{t(files.length === 0 ? 'requests.evidenceNone' : 'requests.evidenceKept')}</p>
      <ul className={styles.files}>
        {files.map((file) => {
          const isOpened = file.isOpened || opened.includes(file.id);
          const name = isolateName(file.name);
          return (
            <li key={file.id}>
              <FileTextOutlined aria-hidden />
              <span className={styles.file}>
                <bdi>{file.name}</bdi>
                <span className={styles.second}>{fileSize(file.bytes)}</span>
              </span>
              {file.isKept ? (
                <>
                  <Button
                    type="link"
                    href={fileAddress(id, file.id)}
                    download
                    disabled={isOwnCase}
                    aria-label={t('requests.openFileOf', { name })}
                    onClick={() => setOpened((before) => [...before, file.id])}
                  >
                    {t('requests.openFile')}
                  </Button>
                  <Checkbox
                    checked={seen.includes(file.id)}
                    disabled={!isOpened}
                    aria-label={t('requests.seenOf', { name })}
                    title={isOpened ? undefined : t('requests.openFirst')}
                    onChange={({ target }) =>
                      onSeen(target.checked ? [...seen, file.id] : seen.filter((one) => one !== file.id))
                    }
                  >
                    {t('requests.seen')}
                  </Checkbox>
                </>
              ) : (
                <span className={styles.second}>{t('requests.evidenceRemoved')}</span>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
