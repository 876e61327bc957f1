import { constants, type Http2Session } from 'node:http2'
import { EventBudget } from '../event-budget.ts'
import type { EdgeLimits } from '../limits.ts'

export type ControlFrameLimits = Pick<EdgeLimits, 'http2ControlFramesBurst' | 'http2ControlFramesPerSecond'>

/** Ends a session whose peer keeps the service busy with frames that carry nothing. */
export function limitControlFrames(session: Http2Session, limits: ControlFrameLimits): void {
  const now = () => performance.now()
  const budget = new EventBudget(limits.http2ControlFramesBurst, limits.http2ControlFramesPerSecond, now)
  const onControlFrame = () => {
    if (!budget.spend()) session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM)
  }
  session.on('ping', onControlFrame)
  session.on('remoteSettings', onControlFrame)
}
