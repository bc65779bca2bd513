package org.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doNothing;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.mockConstruction;
import static org.mockito.Mockito.mockStatic;
import static org.mockito.Mockito.spy;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import org.easymock.EasyMock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.mockito.ArgumentCaptor;
import org.mockito.Captor;
import org.mockito.InjectMocks;
import org.mockito.Mock;
import org.mockito.MockedConstruction;
import org.mockito.MockedStatic;
import org.mockito.junit.jupiter.MockitoExtension;

@ExtendWith(MockitoExtension.class)
class OfficeTest {
    @Mock private Mail mail;
    @Mock private Ledger ledger;
    @Captor private ArgumentCaptor<String> text;
    @InjectMocks private Office office;

    @Test
    void greetsByMail() {
        when(mail.send(eq("Ada"), anyString())).thenReturn(true);
        assertTrue(office.greet("Ada"));
        verify(mail).send(eq("Ada"), text.capture());
        assertEquals("Hello, Ada", text.getValue());
        verify(ledger).enter("greeted Ada");
    }

    @Test
    void countsFailures() {
        assertFalse(office.greet("Grace"));
        assertEquals(1, office.failures());
    }

    @Test
    void spiesOnItself() {
        Office spied = spy(new Office(new Mail("me"), ledger));
        doNothing().when(spied).note("Ada");
        assertTrue(spied.greet("Ada"));
        verify(spied).note("Ada");
    }

    @Test
    void broadcastsBySomeOtherPost() {
        Mail post = mock(Mail.class);
        when(post.send("all", "news")).thenReturn(true);
        try (MockedStatic<Mail> mails = mockStatic(Mail.class)) {
            mails.when(Mail::ofThePost).thenReturn(post);
            assertTrue(Office.broadcast("news"));
        }
    }

    @Test
    void writesAlone() {
        try (MockedConstruction<Mail> mails =
                mockConstruction(Mail.class, (made, context) -> when(made.send("one", "me")).thenReturn(true))) {
            assertTrue(Office.alone("me"));
            assertEquals(1, mails.constructed().size());
        }
    }

    @Test
    void isMockedByAnotherLibrary() {
        Ledger easy = EasyMock.createNiceMock(Ledger.class);
        EasyMock.expect(easy.enter("greeted Ada")).andReturn(1);
        EasyMock.replay(easy);
        assertTrue(new Office(new Mail("me"), easy).greet("Ada"));
        EasyMock.verify(easy);
    }

    @Test
    void realMail() {
        Mail real = Mail.ofThePost();
        real.send("Ada", "Hello");
    }
}
