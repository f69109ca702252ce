import { Injectable } from '@nestjs/common';
import { Config } from '../../platform/config/config.js';
import { Figures } from '../../platform/metrics/figures.js';
import { Requests } from '../domain/request.js';

const name = 'gatehouse_requests_waiting';

/** The requests that wait, as a metric; where no account acts for a patient there is none. */
@Injectable()
export class WaitingRequestFigures {
  constructor(requests: Requests, config: Config, figures: Figures) {
    if (!config.representation) return;
    const help = 'requests and questions that wait for administrators, and those that are late, of all nodes';
    figures.addStored([{ name, help, labels: ['state'], across: 'max' }], async () => {
      const { open, late } = await requests.count();
      const states = { 'in-time': open - late, late };
      return { [name]: Object.entries(states).map(([state, value]) => ({ labels: { state }, value })) };
    });
  }
}
