import { FrameBytes } from './frame-bytes.ts'
import { describe, expect, it } from 'vitest'
import { bindOf, listen, TestAgent } from './sessions-harness.ts'

describe('an agent that breaks the protocol is closed with the reason, and others notice nothing', () => {
  const header = Buffer.from([2, 1, 0x62, 0])

  it.each([
    ['malformed frames', Buffer.from('nonsense that is no frame'), 'protocol_error'],
    ['frames for a stream that never was', FrameBytes.data(2, Buffer.from('x')), 'protocol_error'],
    ['its own stream with an even id', FrameBytes.open(4, header), 'protocol_error'],
    [
      'more bytes than credit',
      Buffer.concat([
        FrameBytes.data(2, Buffer.alloc(65_536)),
        FrameBytes.data(2, Buffer.alloc(65_536)),
        FrameBytes.data(2, Buffer.alloc(65_536)),
        FrameBytes.data(2, Buffer.alloc(65_536)),
        FrameBytes.data(2, Buffer.alloc(1)),
      ]),
      'flow_control_error',
    ],
    ['a control message that is no JSON', FrameBytes.control('nonsense'), 'protocol_error'],
    ['a control message out of bounds', FrameBytes.control(JSON.stringify(bindOf('with space'))), 'protocol_error'],
  ])('%s', async (_name, bytes, code) => {
    await using service = await listen()
    const [bystander] = await TestAgent.online(service.url)
    const [offender] = await TestAgent.online(service.url)
    const bound = await offender.bind('b')
    const route = service.sessions.find(bound.tunnel?.domain ?? '')
    if (code === 'flow_control_error' && route.kind === 'online') {
      route.tunnel.openStream({ kind: 'raw', visitorAddress: '127.0.0.1:1' })
    }
    offender.writeMessage(bytes)
    expect(await offender.closed()).toMatchObject({ by: 'peer', code })
    expect((await bystander.bind('other')).error).toBeNull()
    expect(service.sessions.list('ac_1')).toHaveLength(1)
    expect(service.sessions.find(bound.tunnel?.domain ?? '')).toEqual({ kind: 'offline' })
  })

  it('an oversized message', async () => {
    await using service = await listen()
    const [offender] = await TestAgent.online(service.url)
    offender.writeMessage(Buffer.alloc(600_000))
    expect((await offender.closed()).message).toContain('1009')
    await expect.poll(() => service.sessions.list('ac_1')).toEqual([])
  })

  it('streams of its own are refused', async () => {
    await using service = await listen()
    const [agent] = await TestAgent.online(service.url)
    const stream = agent.session.openStream({ bindId: 'b', kind: 'raw', visitorAddress: '' })
    const ending = await new Promise((resolve) =>
      stream.attach({ onData: () => {}, onEnd: () => {}, onDrain: () => {}, onClose: resolve }),
    )
    expect(ending).toMatchObject({ kind: 'reset', code: 'refused' })
  })

  it('a flood of binds is bounded', async () => {
    await using service = await listen({ limits: { bindsPerSessionMax: 5, pendingRequestsMax: 20 } })
    const [agent] = await TestAgent.online(service.url)
    const results = await Promise.all([...Array(6).keys()].map((n) => agent.bind(`b${n}`)))
    expect(agent.messages.filter((message) => message.type === 'bindResult' && message.error)).toHaveLength(1)
    expect(results).toHaveLength(6)
    for (let n = 0; n < 100; n++) agent.session.send(bindOf(`c${n}`))
    expect(await agent.closed()).toMatchObject({ by: 'peer', code: 'protocol_error' })
  })
})
