import './words/en.js';
import { VerticalAlignBottomOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { portalPath } from '../../shared/addresses/base-path.js';
import { PageTitle } from '../../shared/ui/layout/page-title.js';
import { LoadFailed } from '../../shared/ui/placeholders/load-failed.js';
import styles from './api-reference.module.css';
import { Viewer } from './viewer.js';

const address = '/api/openapi.json';

/** The description of the API, readable. It is in English in every language, as it is made of the sources. */
export function ApiPage() {
  const { t } = useTranslation();
  const [hasFailed, setFailed] = useState(false);
  return (
    <div data-width="wide">
      <div className={styles.head}>
        <div>
          <PageTitle>{t('apiReference.title')}</PageTitle>
          <p className={styles.lead}>
            <Trans i18nKey="apiReference.lead" values={{ path: portalPath(address) }} components={{ code: <code /> }} />
          </p>
        </div>
        <Button
          icon={<VerticalAlignBottomOutlined aria-hidden />}
          href={portalPath(address)}
          download="gatehouse-openapi.json"
        >
          {t('apiReference.download')}
        </Button>
      </div>
      <h2 className="visually-hidden">{t('apiReference.calls')}</h2>
      {hasFailed ? (
        <LoadFailed onRetry={() => setFailed(false)} />
      ) : (
        <Viewer address={portalPath(address)} onFailure={() => setFailed(true)} />
      )}
    </div>
  );
}
