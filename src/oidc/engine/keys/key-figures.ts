import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { Figures } from '../../../platform/metrics/figures.js';
import { SigningKeys } from './signing-keys.js';

/** Figures of the signing keys. */
@Injectable()
export class KeyFigures {
  constructor(
    figures: Figures,
    private readonly keys: SigningKeys,
    { keys: { rotationDays } }: Config,
  ) {
    const across = 'max';
    figures.addStored(
      [
        {
          name: 'gatehouse_signing_key_age_seconds',
          help: 'Time since the key that signs began to, by algorithm',
          labels: ['alg'],
          across,
        },
        {
          name: 'gatehouse_signing_key_rotation_seconds',
          help: 'Age at which a signing key is replaced (keys.rotationDays)',
          across,
        },
      ],
      async () => ({
        gatehouse_signing_key_age_seconds: (await this.keys.list())
          .filter(({ state }) => state === 'signing')
          .map(({ alg, signsFrom }) => ({ labels: { alg }, value: (Date.now() - signsFrom.getTime()) / 1000 })),
        gatehouse_signing_key_rotation_seconds: rotationDays * 86_400,
      }),
    );
  }
}
