import { SafetyCertificateOutlined } from '@ant-design/icons';
import { Button } from 'antd';
import { useTranslation } from 'react-i18next';
import type { LoginOptions } from '../../../../src/contract/session.js';
import { externalSignIn } from '../../shared/addresses/external-sign-in.js';
import { isolateName } from '../../shared/i18n/isolate-name.js';
import card from '../../shared/ui/forms/card-form.module.css';

/** 'Continue with …', one per external provider; below the form when there is one. */
export function ProviderButtons({ options, returnUrl }: { options: LoginOptions; returnUrl: string | null }) {
  const { t } = useTranslation();
  if (options.externalProviders.length === 0) return null;
  return (
    <>
      {options.enableLocalLogin && <p className={card.or}>{t('common.or')}</p>}
      <div className={card.providers}>
        {options.externalProviders.map((provider) => (
          <Button
            key={provider.authenticationScheme}
            block
            href={externalSignIn(provider, returnUrl)}
            icon={<SafetyCertificateOutlined aria-hidden />}
          >
            {t('login.provider', { provider: isolateName(provider.displayName) })}
          </Button>
        ))}
      </div>
    </>
  );
}
