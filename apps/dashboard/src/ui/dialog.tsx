import type { ReactElement, ReactNode } from 'react'
import { Dialog as AriaDialog, DialogTrigger, Heading, Modal, ModalOverlay } from 'react-aria-components'

interface Props {
  readonly title: string
  readonly trigger: ReactElement
  readonly children: (close: () => void) => ReactNode
}

/** A modal that opens from its trigger. Escape closes it; the focus returns to the trigger. */
export function Dialog({ title, trigger, children }: Props) {
  return (
    <DialogTrigger>
      {trigger}
      <ModalOverlay className="overlay">
        <Modal className="modal">
          <AriaDialog className="dialog">
            {({ close }) => (
              <>
                <Heading slot="title">{title}</Heading>
                {children(close)}
              </>
            )}
          </AriaDialog>
        </Modal>
      </ModalOverlay>
    </DialogTrigger>
  )
}
